//! Hot reload: reads the changed configuration and libraries, checks and starts them next to the
//! current ones, and swaps all of them at once. If anything fails, the current configuration is
//! kept.

mod control;
mod record;
mod reloader;
mod running;
mod watch;

pub use control::{ControlSocket, RunningServer, reloads_deadline, running_servers};
pub use record::{ReloadRecord, Reloaded};
pub use reloader::{Losses, Reloader};
pub use running::reload_when_triggered;
pub use watch::FileStamps;
