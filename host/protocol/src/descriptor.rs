//! Passes the descriptor of a library through the socket.

use std::{
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::{
        fd::{BorrowedFd, OwnedFd},
        unix::net::UnixStream,
    },
};

use rustix::{
    cmsg_space,
    net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
        SendFlags, recvmsg, sendmsg,
    },
};

/// Sends a library to a worker.
///
/// # Errors
/// The system call failed.
pub fn send(socket: &UnixStream, library: BorrowedFd<'_>) -> io::Result<()> {
    let (descriptors, mut space) = ([library], [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))]);
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(socket, &[IoSlice::new(&[0])], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives a library from the host; `None` if the message has no descriptor.
///
/// # Errors
/// The system call failed.
pub fn receive(socket: &UnixStream) -> io::Result<Option<OwnedFd>> {
    let (mut byte, mut space) = ([0], [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))]);
    let mut control = RecvAncillaryBuffer::new(&mut space);
    recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let descriptor = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    Ok(descriptor)
}
