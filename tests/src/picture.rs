//! A PNG as the tests look at it: its size and the colours of its pixels.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Seek};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::Page;

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
        Self::decode(BufReader::new(file), &path.display().to_string())
    }

    /// What a page of a browser shows now.
    ///
    /// # Panics
    /// When the browser gives no picture.
    #[track_caller]
    #[must_use]
    pub fn of(page: &Page<'_>) -> Self {
        let taken = page.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let taken = taken.unwrap_or_else(|error| panic!("no picture: {error}"));
        let bytes = STANDARD.decode(taken["data"].as_str().unwrap_or_default()).expect("a picture in base64");
        Self::decode(Cursor::new(bytes), "a page's picture")
    }

    #[track_caller]
    fn decode(source: impl BufRead + Seek, name: &str) -> Self {
        let decoder = png::Decoder::new(source);
        let mut reader = decoder.read_info().unwrap_or_else(|error| panic!("`{name}`: {error}"));
        let mut bytes = vec![0; reader.output_buffer_size().expect("a picture of a page fits memory")];
        let frame = reader.next_frame(&mut bytes).unwrap_or_else(|error| panic!("`{name}`: {error}"));
        Self { width: frame.width, height: frame.height, channels: frame.color_type.samples(), bytes }
    }

    /// The pixels of a part, row by row.
    ///
    /// # Panics
    /// When it is outside.
    #[must_use]
    pub fn part(&self, [left, top, width, height]: [u32; 4]) -> Vec<[u8; 3]> {
        (top..top + height).flat_map(|y| (left..left + width).map(move |x| self.pixel(x, y))).collect()
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
