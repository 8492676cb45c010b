//! A PNG as the tests look at it: its size and the colours of its pixels.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// A decoded picture.
#[derive(Debug)]
pub struct Picture {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    channels: usize,
    bytes: Vec<u8>,
}

impl Picture {
    /// Reads a PNG file.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let file = File::open(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
        let decoder = png::Decoder::new(BufReader::new(file));
        let mut reader = decoder.read_info().unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
        let mut bytes = vec![0; reader.output_buffer_size().expect("a picture of a page fits memory")];
        let frame =
            reader.next_frame(&mut bytes).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
        Self { width: frame.width, height: frame.height, channels: frame.color_type.samples(), bytes }
    }

    /// Red, green and blue of one pixel.
    ///
    /// # Panics
    /// When it is outside.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        assert!(x < self.width && y < self.height, "{x},{y} is outside of {}x{}", self.width, self.height);
        let at = (y as usize * self.width as usize + x as usize) * self.channels;
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
    }
}
