//! The nouns: plain data and the rules that hold without network, clock or disk.

mod conversation;
mod message;
mod model;
mod model_table;
mod note;
mod raw;
mod target;
mod tool;

pub use conversation::{Conversation, Turn, turns};
pub use message::{
    CacheMark, Content, Extra, Media, MediaSource, Message, Part, Role, Thinking, ToolCall,
    ToolResult, Ttl,
};
pub use model::{Family, Model, Models, TokenizerName};
pub use note::{Note, Notes};
pub use raw::RawJson;
pub use target::{Source, Target};
pub use tool::ToolDefinition;
