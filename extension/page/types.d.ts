// What goes into and comes out of the page library: the contract between the kernel, which calls its functions by name
// in an isolated world, and the host, which reads the answers. Types only: nothing here runs.
// The files of this folder are plain scripts that share one scope; `kernel/page_calls.js` lists them in order and
// evaluates them as one function body, once per document. Numbers are CSS pixels of this frame's viewport unless said.

/** Tells the kernel the moment of a press, in milliseconds since 1970; the kernel puts it into the library's world. */
declare var bskUserInput: ((atMs: string) => void) | undefined;

/** Which element is meant: by its ref's number (`@e12` is 12) or the first match of a CSS selector that pierces shadow roots. */
type Target = { ref: number } | { selector: string };

/** An error as the host passes it on; codes and reasons as in docs/protocol.md. */
interface PageError {
  code: string;
  reason?: string;
  message: string;
  hint?: string;
  data?: Record<string, unknown>;
}

type Answer<T> = { ok: T } | { error: PageError };

/** What the kernel sends along with each call. `first_ref`: no ref number below it may be given out in this document; `frame`: this frame's number (0 is the
 * main frame), so that messages can name refs as people write them: `@e12`, `@f2e5`. */
interface CallContext { first_ref: number; frame: number; }

interface Box { x: number; y: number; width: number; height: number; }

/** The element that a command used, as `observe` describes it. `was`: what was last told of its ref, when that no longer holds. */
interface UsedElement { ref: number; role: string; name: string; was?: { role: string; name: string }; }

/** What `observe` gives, as JSON in one string: one row per node in flat-tree order, as columns; texts are indexes into `strings`, 0 is none. */
interface Observation {
  url: string;
  title: string;
  ready_state: string;
  viewport: { width: number; height: number };
  /** How far the page is scrolled and how far it can be. */
  scroll: { x: number; y: number; max_x: number; max_y: number };
  device_pixel_ratio: number;
  /** The walk ran out of its time: what came first is here. */
  partial: boolean;
  /** Elements that may hold a closed shadow root which the kernel has not looked for yet. */
  unexplored: number;
  strings: string[];
  nodes: {
    /** 0 is a child of the document. */
    depth: number[];
    /** ARIA role, or `text` for a run of text, or `iframe` for a frame's element. */
    role: number[];
    /** Accessible name; for `text` the text itself. */
    name: number[];
    /** The ref's number, 0 for nodes without one. */
    ref: number[];
    /** A digit per node: 0 in view, 1 above it, 2 below, 3 beside, 4 no place of its own. */
    place: string;
    /** Pairs of row and text: what the control holds, never of a secret field. */
    value: number[];
    /** Pairs of row and text. */
    description: number[];
    /** Pairs of row and text: the states in the order rendered, one a line, e.g. `checked` or `level=2`. */
    states: number[];
    /** Pairs of row and text: where links lead, when asked for. */
    link: number[];
    /** x, y, width, height of each node, rounded, when asked for. */
    box: number[];
  };
  /** For each frame's element its row and its content box: row, x, y, width, height. */
  frames: number[];
}

interface Prepared extends UsedElement {
  /** Where to point, inside the element and not covered. */
  x: number;
  y: number;
  box: Box;
  /** What is pointed at in place of a checkbox or radio that cannot be, in words, with the state of that one. */
  stand_in?: string;
  checked?: boolean;
  /** It is an option of a select: to be chosen, not clicked. */
  is_option?: true;
}

/** What the page does with a drag. */
interface DragState {
  /** It began a drag of its own, with data. */
  started: boolean;
  /** What was pressed is `draggable`, and the browser has begun no drag of it. */
  overdue: boolean;
  /** What is under the pointer takes it. */
  accepts: boolean;
  /** The button's release arrived. */
  released: boolean;
  dropped: boolean;
  /** What got the drop instead of what was meant. */
  hit: string | null;
  /** The files that were dropped, where there were any. */
  files?: { name: string; size: number }[];
}

/** How far a box is scrolled, and how much of it is above and below what shows. */
interface ScrollPosition { scroll_x: number; scroll_y: number; above: number; below: number; }

interface ScrollStart extends ScrollPosition, Partial<UsedElement> {
  /** How far to turn the wheel. */
  step: { x: number; y: number };
  /** Where to turn it; null where no point of the box can be reached. */
  point: { x: number; y: number } | null;
}

interface ScrollState extends ScrollPosition {
  /** `page`: the page took the wheel for itself; `script`: the wheel did nothing, so the box was scrolled without one. */
  how: 'wheel' | 'page' | 'script';
  moved: { x: number; y: number };
}

interface ScrollText extends ScrollPosition {
  /** The innermost element with the text, brought into view. */
  found: UsedElement | null;
  is_at_end: boolean;
}

interface ProbeResult {
  /** The armed event reached the target (or a descendant of it). */
  delivered: boolean;
  /** What got the event instead, e.g. `div#veil`; null when nothing did. */
  hit: string | null;
}

interface FillBegun extends UsedElement {
  /** True when the field was set in the page (date, range, color …); false when the host types the text now, or presses Delete for an empty one. */
  done: boolean;
  /** True when the field's contents must never leave the page. */
  is_secret: boolean;
  /** The field takes input for an editor that draws itself: the host selects all with keys, before the text and before it is read back. */
  by_keys?: true;
}

interface FillEnded extends UsedElement {
  /** Length of what the field holds, in UTF-16 units. */
  value_length: number;
  /** What the field holds; absent for secret fields. */
  value?: string;
  /** The field holds what was asked for, or the same letters and digits laid out by a mask or, line by line, by an editor. */
  matches: boolean;
}

interface Selected extends UsedElement {
  multiple: boolean;
  selected_values: string[];
  selected_labels: string[];
}

/** An element that a query found, and a few words of what it is in. */
interface QueryMatch { ref: number; role: string; name: string; context: string; }

interface QueryAnswer {
  /** How many match. */
  total: number;
  /** The first of them, in document order. */
  matches: QueryMatch[];
  /** What comes near, when nothing matches. */
  nearest: QueryMatch[];
}

/** What `wait` waits for; `value` is the text or the selector, empty for `quiet`. */
type WaitCondition = 'text' | 'gone_text' | 'selector' | 'gone' | 'quiet';

/** A document as its navigation made it. */
interface DocumentState {
  url: string;
  title: string;
  ready_state: string;
  /** The HTTP status, 0 when unknown. */
  status: number;
  /** Its own markup is about to have it replaced (`<meta http-equiv=refresh>`). */
  goes_on: boolean;
}

interface Outcome {
  /** Whether anything that can be seen changed; null where nobody can tell. */
  changed: boolean | null;
  /** The element's states before and after, where they differ. */
  state?: { before: string[]; after: string[] };
  /** A link was clicked whose address is to be downloaded; left out where none was. */
  begins_download?: true;
}

interface WaitAnswer {
  holds: boolean;
  /** What shows the text or matches the selector. */
  element?: { ref: number; role: string; name: string };
  /** What matches but cannot be seen, or what is still there. */
  obstacle?: string;
}

/** Every function of the library: its arguments and its result. */
interface PageFunctions {
  /** Walks the document (or the subtree of `root_ref`), shadow roots included, for at most `budget_ms`; an `Observation` as JSON. */
  observe(args: {
    budget_ms: number; root_ref?: number;
    /** Every role and all text, nothing folded away. */
    form?: 'full';
    links?: boolean; boxes?: boolean;
    /** Also text that nobody can see, with the state `invisible`. */
    invisible?: boolean;
  }): string;
  /** Finds elements by what people say of them; waits at most `timeout_ms` for the first. */
  query(args: {
    query: { role?: string; name?: string; text?: string; label?: string; placeholder?: string; test_id?: string };
    timeout_ms: number;
  }): Promise<QueryAnswer>;
  /** Waits until the target can be acted on, scrolls it into view and, with `arm`, watches for that event's arrival. */
  prepare(args: {
    target: Target; timeout_ms: number; force?: boolean;
    /** Watch for this event until `probe` is called. */
    arm?: 'mousedown' | 'mousemove' | 'drag' | 'drop';
    /** Note from now on when the page changes, for `settle`. */
    watch?: boolean;
    /** Point from the element's top left instead of a point chosen by us. */
    at?: { x: number; y: number };
  }): Promise<Prepared>;
  /** Answers as soon as the armed event has arrived somewhere, or after `timeout_ms` that nothing came; disarms. */
  probe(args: { timeout_ms: number }): Promise<ProbeResult>;
  /** Waits until editable, focuses, selects what is there (or goes to its end with `append`), or sets the value itself. */
  fill_begin(args: { target: Target; value: string; append: boolean; timeout_ms: number }): Promise<FillBegun>;
  /** Waits, bounded, until the page has handled the typing; reads back what the field holds. */
  fill_end(args: { value: string; append: boolean; timeout_ms: number }): Promise<FillEnded>;
  /** Chooses options of a `<select>`; one `input` and one `change` event. */
  select(args: {
    target: Target; values: string[]; labels: string[]; indexes: number[]; timeout_ms: number;
    /** The target is the option itself: choose it alone, or choose it or not, as it was before. */
    option?: 'only' | 'toggle';
  }): Promise<Selected>;
  /** Moves focus to the target; without one tells what has it. Arms `keydown` for `probe`. */
  focus(args: { target?: Target; timeout_ms: number }): Promise<UsedElement & { is_frame: boolean }>;
  /** Waits until editable and focuses; the caret stays where it is in a field that has the focus, else it goes to the end. Arms `keydown`. */
  type_begin(args: { target: Target; timeout_ms: number }): Promise<UsedElement & { is_secret: boolean; by_keys?: true }>;
  /** Waits, bounded, until the page has handled the typing; reads back what the field holds. */
  type_end(args: { value: string; timeout_ms: number }): Promise<FillEnded>;
  /** Reads the checked state; when it is not the wanted one, finds a point of the control or its label to click and arms the probe there. */
  check_begin(args: { target: Target; checked: boolean; timeout_ms: number }): Promise<UsedElement & { done: boolean; x: number; y: number }>;
  /** After the click: whether it arrived, and the state once it is the wanted one or did not become it in time. */
  check_end(args: { checked: boolean; timeout_ms: number }): Promise<UsedElement & ProbeResult & { checked: boolean }>;
  get_html(args: { target?: Target; max_bytes: number }): { html: string; truncated: boolean; byte_size: number };
  /** Where the element is, scrolled into view; for a cropped screenshot. */
  box(args: { target: Target; timeout_ms: number }): Promise<UsedElement & { box: Box }>;
  /** Lets the page react to input: answers after its next frame and the tasks held back until then, or with `until_change` after
   * the next change of the page; at most `timeout_ms` later. */
  settle(args: { timeout_ms: number; until_change?: boolean }): Promise<Record<string, never>>;
  /** Waits until a condition holds, at most `timeout_ms`: a visible text or element is there or gone, or nothing changed for a while. */
  wait(args: { condition: WaitCondition; value: string; timeout_ms: number }): Promise<WaitAnswer>;
  /** What the action that `prepare` or `focus` began has changed so far; asked once the input was handled. */
  outcome(args: Record<string, never>): Outcome;
  /** Waits for the target; `input` is the ref of the file input that it is or labels, null when files have to be chosen some other way. */
  file_input(args: { target: Target; timeout_ms: number }): Promise<UsedElement & { input: number | null }>;
  /** The document as the navigation made it. */
  document_state(args: Record<string, never>): DocumentState;
  checked_state(args: { target: Target }): { checked: boolean };
  /** What became of the drag that `prepare` watches; with `until` the last look, once that has happened. Until `is_last` a release gives
   * the drag up, and no click comes of it. */
  drag_state(args: { timeout_ms: number; until?: 'drop' | 'release'; is_last?: boolean }): Promise<DragState>;
  /** Finds what scrolls: around the target, else the page's own; `on` is a step down. Without `by` and `to` a target is brought into view. */
  scroll_place(args: { target?: Target; timeout_ms: number; by?: { x: number; y: number }; to?: 'top' | 'bottom' | 'on' }): Promise<ScrollStart>;
  /** Waits until it has come to rest; scrolls it itself where no wheel was sent or the wheel moved nothing. */
  scroll_end(args: { timeout_ms: number; by: { x: number; y: number }; is_wheel: boolean }): Promise<ScrollState>;
  /** Looks for a text in it; at its end waits at most `timeout_ms` for more. */
  scroll_text(args: { text: string; timeout_ms: number }): Promise<ScrollText>;
}
