//! NumPy's files as bytes; reading and writing files is the hosts'.
//!
//! ```text
//! header     the head of a .npy;  dtype: its element types
//! npz        a zip of them: the file of a state
//! ```

pub mod dtype;
pub mod header;
pub mod npz;
