//! Sockets that accept connections.

use std::{
    fmt,
    fs::{self, Permissions},
    io,
    net::{SocketAddr, TcpListener},
    os::{
        fd::OwnedFd,
        linux::net::SocketAddrExt,
        unix::{
            fs::{FileTypeExt, MetadataExt, PermissionsExt},
            net::{SocketAddr as UnixAddress, UnixListener},
        },
    },
    path::{Path, PathBuf},
};

use config::ListenAddress;
use protocol::RequestId;
use rustix::{
    fs::{Mode, fchmod},
    io::Errno,
    net::{
        AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with,
        sockopt,
    },
};

/// The maximum number of connections that the kernel queues before they are accepted.
const BACKLOG: i32 = 1024;

/// The calls that a listener answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Every,
    /// Every call except operator calls, which another listener answers.
    Public,
    /// Every call, but only from this process.
    Own,
}

/// A socket that accepts connections.
#[derive(Debug)]
pub struct ListeningSocket {
    pub(crate) socket: Socket,
    pub(crate) scope: Scope,
}

#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// Where a listener can be reached.
#[derive(Debug)]
pub enum BoundAddress {
    Tcp(SocketAddr),
    Unix(SocketFile),
}

/// The file of a Unix socket. Dropping it removes the file, unless another process has replaced it.
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    inode: (u64, u64),
}

impl ListeningSocket {
    /// Listens on an address, even if it has connections in `TIME_WAIT`. `[::]` accepts IPv4
    /// connections unless the server's addresses, `all`, include an IPv4 address with the same
    /// port. The file of a Unix socket gets `mode`. A file on which no process listens is replaced.
    ///
    /// # Errors
    /// The address is in use or cannot be used.
    pub fn bind(
        address: &ListenAddress,
        all: &[&ListenAddress],
        mode: u32,
        scope: Scope,
    ) -> io::Result<(Self, BoundAddress)> {
        match address {
            ListenAddress::Tcp(tcp_address) => {
                let is_ipv6_only = all.iter().any(|other| address.includes_ipv4(other));
                let socket = tcp(*tcp_address, is_ipv6_only)?;
                let bound = BoundAddress::Tcp(socket.local_addr()?);
                Ok((
                    Self {
                        socket: Socket::Tcp(socket),
                        scope,
                    },
                    bound,
                ))
            }
            ListenAddress::Unix(path) => {
                let (socket, file) = unix(path, mode)?;
                Ok((
                    Self {
                        socket: Socket::Unix(socket),
                        scope,
                    },
                    BoundAddress::Unix(file),
                ))
            }
        }
    }

    /// Listens on a Unix socket without a file, to which only this process can connect. Returns the
    /// socket's name.
    ///
    /// # Errors
    /// The process has no free file descriptor.
    pub(crate) fn own() -> io::Result<(Self, String)> {
        let name = format!("rookery-{}", RequestId::generate().as_str());
        let socket = UnixListener::bind_addr(&UnixAddress::from_abstract_name(&name)?)?;
        socket.set_nonblocking(true)?;
        Ok((
            Self {
                socket: Socket::Unix(socket),
                scope: Scope::Own,
            },
            name,
        ))
    }
}

impl fmt::Display for BoundAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(file) => write!(f, "unix:{}", file.path.display()),
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if inode(&self.path).is_ok_and(|inode| inode == self.inode) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn tcp(address: SocketAddr, is_ipv6_only: bool) -> io::Result<TcpListener> {
    let family = if address.is_ipv4() {
        AddressFamily::INET
    } else {
        AddressFamily::INET6
    };
    let socket = stream_socket(family)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    if is_ipv6_only {
        sockopt::set_ipv6_v6only(&socket, true)?;
    }
    bind(&socket, &address)?;
    listen(&socket, BACKLOG)?;
    Ok(socket.into())
}

fn unix(path: &Path, mode: u32) -> io::Result<(UnixListener, SocketFile)> {
    remove_stale(path)?;
    let socket = unix_socket()?;
    // The file is created with the socket's mode, so that no other user can connect before it gets
    // its final mode.
    fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
    bind(&socket, &SocketAddrUnix::new(path)?)?;
    let file = SocketFile {
        path: path.to_path_buf(),
        inode: inode(path)?,
    };
    listen(&socket, BACKLOG)?;
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    Ok((socket.into(), file))
}

fn unix_socket() -> io::Result<OwnedFd> {
    stream_socket(AddressFamily::UNIX)
}

fn stream_socket(family: AddressFamily) -> io::Result<OwnedFd> {
    Ok(socket_with(
        family,
        SocketType::STREAM,
        SocketFlags::CLOEXEC | SocketFlags::NONBLOCK,
        None,
    )?)
}

/// Removes the file of a Unix socket on which no process listens.
fn remove_stale(path: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !found.file_type().is_socket() {
        let detail = "the file exists and is not a socket; remove it, or choose another path";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, detail));
    }
    match connect(&unix_socket()?, &SocketAddrUnix::new(path)?) {
        Err(Errno::CONNREFUSED) => fs::remove_file(path),
        // AGAIN: the socket's queue is full.
        Ok(()) | Err(Errno::AGAIN) => Err(io::Error::new(
            io::ErrorKind::AddrInUse,
            "another process listens on this socket",
        )),
        Err(error) => Err(error.into()),
    }
}

fn inode(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}
