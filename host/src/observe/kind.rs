//! What a role is to us: how its line is folded, where it ranks, whether it tells its contents from others like them.
//!
//! Roles are ARIA's (source: WAI-ARIA 1.3, HTML-AAM); `text` and `iframe` are the page library's own.

/// What a role is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Text,
    Frame,
    Row,
    Cell,
    RowHeader,
    RowGroup,
    Caption,
    Table,
    List,
    ListItem,
    Option,
    Combobox,
    Heading,
    Landmark,
    /// A landmark that also groups: region and form.
    Section,
    /// article, group, figure, treeitem.
    Group,
    Dialog,
    /// Says something that just happened.
    Alert,
    Link,
    Other,
}

impl Kind {
    pub(super) fn of(role: &str) -> Self {
        match role {
            "text" => Self::Text,
            "iframe" => Self::Frame,
            "row" => Self::Row,
            "cell" | "gridcell" | "columnheader" => Self::Cell,
            "rowheader" => Self::RowHeader,
            "rowgroup" => Self::RowGroup,
            "caption" => Self::Caption,
            "table" | "grid" | "treegrid" => Self::Table,
            "list" => Self::List,
            "listitem" => Self::ListItem,
            "option" => Self::Option,
            "combobox" => Self::Combobox,
            "heading" => Self::Heading,
            "main" | "navigation" | "banner" | "contentinfo" | "complementary" | "search" => Self::Landmark,
            "region" | "form" => Self::Section,
            "article" | "group" | "figure" | "treeitem" => Self::Group,
            "dialog" | "alertdialog" => Self::Dialog,
            "alert" | "status" => Self::Alert,
            "link" => Self::Link,
            _ => Self::Other,
        }
    }

    pub(super) fn is_cell(self) -> bool {
        matches!(self, Self::Cell | Self::RowHeader)
    }

    /// Whether it gives a page its shape.
    pub(super) fn is_landmark_or_heading(self) -> bool {
        matches!(self, Self::Heading | Self::Landmark | Self::Section)
    }

    /// Whether it tells what is in it from the same things elsewhere, even without a name.
    pub(super) fn gives_context(self) -> bool {
        matches!(self, Self::Row | Self::ListItem | Self::Option | Self::Section | Self::Group | Self::Dialog)
    }
}
