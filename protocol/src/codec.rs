//! Frames: a 4-byte length, then that many bytes of UTF-8 JSON, or of raw bytes on the local wire.
//!
//! The length is checked against the wire's limit before anything is allocated. The limits are types: a frame for the
//! extension cannot be made too long, since only [`encode`] and [`encode_split`] make frames and both check.
//! The end of the stream between two frames is a goodbye; inside a frame it is an error.

use std::fmt;
use std::io::{self, Read};
use std::marker::PhantomData;

use byteorder::{ByteOrder, LittleEndian, NativeEndian};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Bytes of a frame's header.
pub const HEADER_BYTES: usize = 4;

/// Set in the length of a local frame that holds raw bytes instead of JSON.
const RAW_BIT: u32 = 1 << 31;

/// One direction of one wire: its byte order and the most bytes that a frame's body may have.
pub trait Wire {
    /// Order of the length's bytes.
    type Order: ByteOrder;
    /// Most bytes in a frame's body.
    const LIMIT: usize;
    /// Whether raw binary frames may occur.
    const HAS_RAW_FRAMES: bool;
}

/// Host → extension. Chromium closes the port at one byte more (measured: 1,048,576 pass, 1,048,577 do not).
#[derive(Debug, Clone, Copy)]
pub enum ToExtension {}

/// Extension → host. Chromium's own limit is 64 MiB (measured: 60 MiB pass, past 64 MiB `postMessage` throws).
#[derive(Debug, Clone, Copy)]
pub enum FromExtension {}

/// CLI ↔ host, both directions.
#[derive(Debug, Clone, Copy)]
pub enum Local {}

impl Wire for ToExtension {
    type Order = NativeEndian;
    const LIMIT: usize = 1024 * 1024;
    const HAS_RAW_FRAMES: bool = false;
}

impl Wire for FromExtension {
    type Order = NativeEndian;
    const LIMIT: usize = 64 * 1024 * 1024;
    const HAS_RAW_FRAMES: bool = false;
}

impl Wire for Local {
    type Order = LittleEndian;
    const LIMIT: usize = 64 * 1024 * 1024;
    const HAS_RAW_FRAMES: bool = true;
}

/// Most bytes of the raw frames that [`encode_raw`] cuts.
pub const RAW_CHUNK_BYTES: usize = 256 * 1024;

/// Why bytes are no frame, or a message no bytes.
#[derive(Debug)]
pub enum CodecError {
    /// The stream failed.
    Io(io::Error),
    /// A frame claims no bytes at all.
    Empty,
    /// A frame claims more bytes than its wire allows.
    TooLong {
        /// Bytes claimed.
        length: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// The stream ended inside a frame.
    Truncated,
    /// The body is not the JSON of a message.
    Json(serde_json::Error),
    /// Raw bytes where JSON has to be, or the other way round.
    UnexpectedKind,
    /// Parts of a split message do not fit together.
    BrokenParts,
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the stream failed: {error}"),
            Self::Empty => f.write_str("a frame of zero bytes"),
            Self::TooLong { length, limit } => {
                write!(f, "a frame of {length} bytes; at most {limit} are allowed")
            }
            Self::Truncated => f.write_str("the stream ended inside a frame"),
            Self::Json(error) => write!(f, "a frame that is no message: {error}"),
            Self::UnexpectedKind => {
                f.write_str("raw bytes where a message was due, or a message where raw bytes were")
            }
            Self::BrokenParts => f.write_str("parts of a split message that do not fit together"),
        }
    }
}

impl std::error::Error for CodecError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Json(error) => Some(error),
            Self::Empty
            | Self::TooLong { .. }
            | Self::Truncated
            | Self::UnexpectedKind
            | Self::BrokenParts => None,
        }
    }
}

impl From<io::Error> for CodecError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof { Self::Truncated } else { Self::Io(error) }
    }
}

/// What a frame's body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8 JSON of one message.
    Json,
    /// Raw bytes.
    Raw,
}

/// A checked header: the body may be allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What the body is.
    pub kind: Kind,
    /// Bytes of the body, 1 to the wire's limit.
    pub length: usize,
}

impl Header {
    /// Reads a header and checks its length against the wire's limit.
    ///
    /// # Errors
    /// [`CodecError::Empty`] or [`CodecError::TooLong`].
    pub fn parse<W: Wire>(bytes: [u8; HEADER_BYTES]) -> Result<Self, CodecError> {
        let word = W::Order::read_u32(&bytes);
        let is_raw = W::HAS_RAW_FRAMES && word & RAW_BIT != 0;
        let length = if is_raw { word & !RAW_BIT } else { word } as usize;
        if length == 0 {
            return Err(CodecError::Empty);
        }
        if length > W::LIMIT {
            return Err(CodecError::TooLong { length, limit: W::LIMIT });
        }
        Ok(Self { kind: if is_raw { Kind::Raw } else { Kind::Json }, length })
    }
}

/// One frame as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// The JSON text of one message, not yet decoded.
    Json(Vec<u8>),
    /// Raw bytes.
    Raw(Vec<u8>),
}

impl Frame {
    /// The frame that a header announced.
    #[must_use]
    pub fn new(kind: Kind, body: Vec<u8>) -> Self {
        match kind {
            Kind::Json => Self::Json(body),
            Kind::Raw => Self::Raw(body),
        }
    }

    /// Decodes the message in a JSON frame.
    ///
    /// # Errors
    /// [`CodecError::UnexpectedKind`] for raw bytes, [`CodecError::Json`] for anything that is not exactly a `T`.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, CodecError> {
        match self {
            Self::Json(body) => serde_json::from_slice(body).map_err(CodecError::Json),
            Self::Raw(_) => Err(CodecError::UnexpectedKind),
        }
    }
}

fn framed<W: Wire>(body: &[u8], flags: u32) -> Result<Vec<u8>, CodecError> {
    let length = body.len();
    if length == 0 {
        return Err(CodecError::Empty);
    }
    if length > W::LIMIT {
        return Err(CodecError::TooLong { length, limit: W::LIMIT });
    }
    let mut frame = vec![0; HEADER_BYTES];
    W::Order::write_u32(&mut frame, u32::try_from(length).expect("every wire's limit fits u32") | flags);
    frame.extend_from_slice(body);
    Ok(frame)
}

/// One message as one frame.
///
/// # Errors
/// [`CodecError::TooLong`] past the wire's limit.
pub fn encode<W: Wire>(message: &impl Serialize) -> Result<Vec<u8>, CodecError> {
    framed::<W>(&serde_json::to_vec(message).map_err(CodecError::Json)?, 0)
}

/// Raw bytes as the frames that carry them, each at most [`RAW_CHUNK_BYTES`] long.
pub fn encode_raw(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    bytes.chunks(RAW_CHUNK_BYTES).map(|chunk| {
        framed::<Local>(chunk, RAW_BIT).expect("a chunk has at least one byte and is shorter than the limit")
    })
}

/// A fragment of a message too long for one frame. The fragments' texts joined are the message's JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Which split message this belongs to; the sender counts them.
    pub stream: u32,
    /// 0, 1, 2 … within the stream.
    pub index: u32,
    /// Whether the message is complete with this part.
    pub is_last: bool,
    /// A piece of the message's JSON, cut between characters.
    pub text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum PartMessage {
    Part(Part),
}

/// Longest piece of a split message, in bytes. Inside a JSON string a byte of JSON text at most doubles (`"` and `\`;
/// control characters are already escaped), so two of these and the part's own fields stay under the limit.
const fn piece_bytes<W: Wire>() -> usize {
    W::LIMIT / 2 - 1024
}

/// One message as one frame, or as the frames of its parts when it is too long for one.
///
/// # Errors
/// [`CodecError::Json`] when the message cannot be written as JSON.
pub fn encode_split<W: Wire>(message: &impl Serialize, stream: u32) -> Result<Vec<Vec<u8>>, CodecError> {
    let text = serde_json::to_string(message).map_err(CodecError::Json)?;
    if text.len() <= W::LIMIT {
        return Ok(vec![framed::<W>(text.as_bytes(), 0)?]);
    }
    let mut frames = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let end = rest.floor_char_boundary(piece_bytes::<W>());
        let (piece, after) = rest.split_at(end);
        let index = u32::try_from(frames.len()).map_err(|_| CodecError::BrokenParts)?;
        let part = Part { stream, index, is_last: after.is_empty(), text: piece.to_owned() };
        frames.push(encode::<W>(&PartMessage::Part(part))?);
        rest = after;
    }
    Ok(frames)
}

/// Puts the parts of split messages together again, one stream at a time, up to a bound.
#[derive(Debug, Default)]
pub struct Joiner {
    open: Option<(u32, u32, String)>,
}

impl Joiner {
    /// Longest message that parts may add up to, in bytes.
    pub const LIMIT: usize = 256 * 1024 * 1024;

    /// Takes the next part; gives the whole message's JSON with the last one.
    ///
    /// # Errors
    /// [`CodecError::BrokenParts`] for a part of another stream or out of order, [`CodecError::TooLong`] past the bound.
    pub fn push(&mut self, part: &Part) -> Result<Option<String>, CodecError> {
        let (stream, next, mut text) = match self.open.take() {
            None => (part.stream, 0, String::new()),
            Some(open) => open,
        };
        if part.stream != stream || part.index != next {
            return Err(CodecError::BrokenParts);
        }
        let length = text.len() + part.text.len();
        if length > Self::LIMIT {
            return Err(CodecError::TooLong { length, limit: Self::LIMIT });
        }
        text.push_str(&part.text);
        if part.is_last {
            return Ok(Some(text));
        }
        self.open = Some((stream, next + 1, text));
        Ok(None)
    }
}

/// Reads frames of one wire from a blocking stream.
#[derive(Debug)]
pub struct FrameReader<W, R> {
    stream: R,
    wire: PhantomData<W>,
}

impl<W: Wire, R: Read> FrameReader<W, R> {
    /// Reads from `stream`, which should be buffered.
    pub fn new(stream: R) -> Self {
        Self { stream, wire: PhantomData }
    }

    /// The next frame; none when the stream ended between frames.
    ///
    /// # Errors
    /// [`CodecError`], after which the stream is of no more use.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, CodecError> {
        let mut header = [0; HEADER_BYTES];
        let mut filled = 0;
        while filled < HEADER_BYTES {
            match self.stream.read(&mut header[filled..]) {
                Ok(0) if filled == 0 => return Ok(None),
                Ok(0) => return Err(CodecError::Truncated),
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        let Header { kind, length } = Header::parse::<W>(header)?;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(Some(Frame::new(kind, body)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<W: Wire>(bytes: &[u8]) -> Result<Option<Frame>, CodecError> {
        FrameReader::<W, _>::new(bytes).next_frame()
    }

    #[test]
    fn a_message_of_the_limit_passes_and_one_byte_more_does_not() {
        let text_of = |bytes: usize| "x".repeat(bytes - 2);
        for bytes in [65_535, 65_536, 1_048_575, 1_048_576] {
            let frame = encode::<ToExtension>(&text_of(bytes)).expect("within the limit");
            assert_eq!(frame.len(), HEADER_BYTES + bytes);
            let Ok(Some(back)) = read::<ToExtension>(&frame) else {
                panic!("{bytes} bytes did not come back")
            };
            assert_eq!(back.decode::<String>().expect("a string"), text_of(bytes));
        }
        let too_long = encode::<ToExtension>(&text_of(1_048_577));
        assert!(matches!(too_long, Err(CodecError::TooLong { length: 1_048_577, limit: 1_048_576 })));
    }

    #[test]
    fn a_claimed_length_is_checked_before_the_body_is_read() {
        assert!(matches!(read::<FromExtension>(&[0xff; 4]), Err(CodecError::TooLong { .. })));
        assert!(matches!(read::<FromExtension>(&[0; 4]), Err(CodecError::Empty)));
        assert!(matches!(read::<Local>(&[0, 0, 0, 0x80]), Err(CodecError::Empty)));
    }

    #[test]
    fn the_end_between_frames_is_a_goodbye_and_inside_one_an_error() {
        assert!(matches!(read::<Local>(&[]), Ok(None)));
        assert!(matches!(read::<Local>(&[9]), Err(CodecError::Truncated)));
        assert!(matches!(read::<Local>(&[9, 0, 0, 0, b'{']), Err(CodecError::Truncated)));
    }

    #[test]
    fn raw_bytes_come_back_as_they_went() {
        let bytes: Vec<u8> = (0..=255).cycle().take(RAW_CHUNK_BYTES + 7).collect();
        let stream: Vec<u8> = encode_raw(&bytes).flatten().collect();
        let mut reader = FrameReader::<Local, _>::new(stream.as_slice());
        let mut back = Vec::new();
        while let Some(frame) = reader.next_frame().expect("whole frames") {
            let Frame::Raw(chunk) = frame else { panic!("a raw frame") };
            back.extend(chunk);
        }
        assert_eq!(back, bytes);
    }

    #[test]
    fn a_long_message_is_split_and_joined_again() {
        let message = "\"\\é😀".repeat(400_000);
        let frames = encode_split::<ToExtension>(&message, 7).expect("it splits");
        assert!(frames.len() > 4);
        let mut joiner = Joiner::default();
        let mut whole = None;
        for frame in &frames {
            assert!(frame.len() <= HEADER_BYTES + ToExtension::LIMIT);
            let Ok(Some(frame)) = read::<ToExtension>(frame) else { panic!("a frame") };
            let body: serde_json::Value = frame.decode().expect("JSON");
            let part: Part = serde_json::from_value(body["part"].clone()).expect("a part");
            whole = joiner.push(&part).expect("parts in order");
        }
        let text = whole.expect("complete with the last part");
        assert_eq!(serde_json::from_str::<String>(&text).expect("JSON"), message);
    }

    #[test]
    fn parts_out_of_order_or_of_another_stream_are_refused() {
        let part = |stream, index| Part { stream, index, is_last: false, text: "x".into() };
        let mut joiner = Joiner::default();
        assert!(matches!(joiner.push(&part(1, 1)), Err(CodecError::BrokenParts)));
        joiner.push(&part(1, 0)).expect("the first part");
        assert!(matches!(joiner.push(&part(2, 1)), Err(CodecError::BrokenParts)));
    }
}
