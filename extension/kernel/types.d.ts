// The shapes of what passes between the kernel's files, and of what the host sends: the JavaScript side of
// protocol/src/kernel.rs, field for field. Types only: `wire.js` is what checks a message against them.
// Ids are numbers and words that the kernel or Chrome gave out; times are milliseconds.

declare global {
  /** User-agent client hints, which TypeScript's library does not have: https://wicg.github.io/ua-client-hints/ */
  interface Navigator {
    readonly userAgentData?: {
      getHighEntropyValues(hints: string[]): Promise<{ fullVersionList?: { brand: string; version: string }[] }>;
    };
  }
}

/** What the kernel needs from around it; tests put fakes here, `main.js` the real things. */
export interface Surroundings {
  chrome: typeof chrome;
  /** The text of a file of this extension. */
  readFile(path: string): Promise<string>;
  /** The browser's name and full version. */
  describeBrowser(): Promise<{ name: string; version: string }>;
  now(): number;
  randomUUID(): string;
  /** An integer from 0 up to but not including `below`. */
  randomInt(below: number): number;
  setTimer(run: () => void, delayMs: number): number;
  clearTimer(timer: number): void;
}

/** Accepts exactly the values of type `T`. */
export interface Shape<T> {
  /** What is wrong with the value found at `path`, or null. */
  problem(value: unknown, path: string): string | null;
  accepts(value: unknown): value is T;
}
export type Infer<S> = S extends Shape<infer T> ? T : never;
export type Fields = Record<string, Shape<unknown>>;
export type FromFields<R, O> = { [K in keyof R]: Infer<R[K]> } & { [K in keyof O]?: Infer<O[K]> };

export type JsonObject = Record<string, unknown>;

/** A failure as it goes over the wire. */
export interface Failure {
  code: string;
  reason?: string;
  message: string;
  hint?: string;
  data?: JsonObject;
}

/** What is done about JavaScript dialogs; `ask` is the default and left out of records. */
export type DialogPolicy = 'ask' | 'accept' | 'dismiss';

export type TabScope = 'user' | 'agent' | 'all';

/** The program that asks, as the host saw it. */
export interface Agent { program: string; pid: number; path?: string }

/** An element that the user is shown; by role and name it is found again in the next document. */
export interface HelpTarget { frame: number; ref: number; role: string; name: string }

/** The arguments of each call. */
/** A file that an upload may give to a page: where its copy is, the name and size it has. */
export interface StagedFile { path: string; name: string; size: number }
/** An element for the page library. */
export type ElementTarget = { selector: string } | { ref: number };
export type DragStep = 'enter' | 'over' | 'drop' | 'cancel';

export interface CallArgs {
  profile: Record<string, never>;
  session_start: {
    name?: string; width?: number; height?: number; focus: boolean; idle_ms: number; dialogs?: DialogPolicy; agent?: Agent;
  };
  session_stop: { session_id: string };
  tab_list: { session_id: string; scope: TabScope };
  tab_create: { session_id: string; url?: string; active: boolean; index?: number };
  tab_close: { session_id: string; tab_id: number };
  tab_select: { session_id: string; tab_id: number };
  tab_borrow: { session_id: string; tab_id: number; agent?: Agent };
  help_request: {
    session_id: string; tab_id: number; title?: string; prompt: string; targets: HelpTarget[]; agent?: Agent; timeout_ms: number;
  };
  upload_open: {
    session_id: string; tab_id: number; frame: number; files: StagedFile[]; agent?: Agent; timeout_ms: number;
  };
  upload_arm: { session_id: string; tab_id: number };
  upload_chooser: { session_id: string; tab_id: number; timeout_ms: number };
  upload_take: { session_id: string; tab_id: number; input?: { frame: number; ref: number } };
  upload_drag: { session_id: string; tab_id: number; frame: number; step: DragStep; x: number; y: number };
  upload_close: { session_id: string; tab_id: number };
  download_open: { session_id: string; tab_id: number; frame: number; agent?: Agent; timeout_ms: number };
  download_take: { session_id: string; begin_ms: number; timeout_ms: number };
  download_progress: { session_id: string };
  download_close: { session_id: string; is_kept: boolean };
  download_folders: Record<string, never>;
  tab_return: { session_id: string; tab_id: number };
  window_resize: { session_id: string; width: number; height: number };
  subscribe: { session_id: string; tab_id: number; events: string[] };
  frames: { session_id: string; tab_id: number };
  frame_quad: { session_id: string; tab_id: number; frame: number };
  shadow_roots: { session_id: string; tab_id: number; frame: number };
  flush: { session_id: string; tab_id: number; frame?: number; opened_ms?: number };
  network_watch: { session_id: string; tab_id: number };
  network_quiet: { session_id: string; tab_id: number; quiet_ms: number; timeout_ms: number };
  cdp: { session_id: string; tab_id: number; method: string; params: JsonObject };
  page: { session_id: string; tab_id: number; frame: number; function: string; args: JsonObject };
  fill: {
    session_id: string; tab_id: number; frame: number; target: ElementTarget; value: string; append: boolean;
    timeout_ms: number; edit_ms: number; opened_ms?: number;
  };
  evaluate: {
    session_id: string; tab_id: number; frame?: number; expression: string;
    await_promise: boolean; return_by_value: boolean; timeout_ms: number;
  };
  history_step: { session_id: string; tab_id: number; delta: number };
}
export type CallName = keyof CallArgs;
export type CallOf<K extends CallName> = { name: K; args: CallArgs[K] };
export type Call = { [K in CallName]: CallOf<K> }[CallName];

/** A download that ended well: where its file is, and whether that is the folder made for it. */
export interface DownloadTaken {
  path: string; is_own_place: boolean; suggested_filename: string; byte_size: number; mime: string; danger: string; url: string;
  began_at_ms: number;
}

/** The answer to `flush`: what the page library saw change, and the tabs that the page opened. */
export interface Flushed { outcome?: unknown; opened?: { tab_id: number; url: string }[] }
/** The answer to `fill`: what `fill_begin` and `fill_end` of the page library gave; without the end the host goes on with keys. */
export type Filled = { begun: unknown } | { begun: unknown; ended: unknown; flushed: Flushed };

/** A message of the host after decoding. */
export type HostMessage =
  | { kind: 'welcome'; hostVersion: string }
  | { kind: 'refuse'; failure: Failure }
  | { kind: 'request'; id: number; call: Call }
  /** A request with an id that is not well formed: it gets this failure as its reply. */
  | { kind: 'bad_request'; id: number; failure: Failure }
  | { kind: 'cancel'; id: number }
  /** A command begins in a session. */
  | { kind: 'note'; sessionId: string; command: string }
  | { kind: 'ping' }
  | { kind: 'part'; part: Part };

/** A piece of a message that is too long for one. */
export interface Part { stream: number; index: number; is_last: boolean; text: string }

/** A frame of a tab. `reserved`: every ref number below it may have been given out in this frame. */
export interface FrameClaim { number: number; reserved: number; }

/** Where a borrowed tab came from and goes back to. `url` is the last address it showed. */
export interface TabHome {
  windowId: number;
  index: number;
  isPinned: boolean;
  groupId?: number;
  url: string;
  bounds?: { left: number; top: number; width: number; height: number };
}

/** A tab that a session may touch. The main frame is number 0 and not in `frames`. */
export interface TabClaim {
  tabId: number;
  sessionId: string;
  mainReserved: number;
  /** Child frames by the browser's frame id. */
  frames: Record<string, FrameClaim>;
  nextFrameNumber: number;
  /** The user cancelled debugging: nothing touches the tab any more. */
  isWithdrawn: boolean;
  /** The latest addresses of a tab that the session opened, the last one last. */
  urls: string[];
  /** Only of a borrowed tab. */
  home?: TabHome;
  /** What the user answered about sites that a rule asks for, by origin; counts until the tab shows another site. */
  siteAnswers?: Record<string, boolean>;
}

/** A session. */
export interface Session {
  sessionId: string;
  name?: string;
  windowId: number;
  groupId?: number;
  createdAtMs: number;
  activeTabId?: number;
  idleMs: number;
  lastUsedMs: number;
  dialogs?: 'accept' | 'dismiss';
  /** The program that started it. */
  agent?: Agent;
  /** Nobody was told its id yet. */
  isUntold?: boolean;
}

/** An Agent Window as `storage.local` remembers it, for putting things right when the sessions are gone. */
export interface AgentWindow {
  windowId: number;
  title: string;
  /** Tabs that the session opened, with their latest addresses. */
  opened: { tabId: number; urls: string[] }[];
  borrowed: { tabId: number; home: TabHome }[];
}

/** What an ended session has left to close. */
export type Ending = Omit<AgentWindow, 'borrowed'>;

/** A tab of the user that is being moved into an Agent Window or out of it. */
export interface Trip {
  tabId: number;
  agentWindowId: number;
  /** Of the session's tab group. */
  title: string;
  home: TabHome;
}

/** A session as the host sees it. */
export interface SessionRecord {
  session_id: string;
  name?: string;
  agent_window_id: number;
  created_at_ms: number;
  active_tab_id?: number;
  tab_ids: number[];
  dialogs?: 'accept' | 'dismiss';
}

/** A session that is over. */
export interface EndedSession { sessionId: string; cause: EndCause; }

export type EndCause = 'stopped' | 'user' | 'window_closed' | 'idle';
export type LossCause = 'closed' | 'crashed' | 'detached' | 'foreign_frame';

/** What the kernel tells unasked. */
/** A step of the request that brings a frame's document: it goes out, is sent on, is answered, or comes to nothing. */
export interface DocumentRequest {
  frame_id: string;
  loader_id: string;
  step: { asked: { url: string } } | { sent_on: { url: string; status: number } } | { answered: { status: number } }
    | { failed: { net_error: string } };
}

export type KernelEvent =
  | { session_changed: SessionRecord }
  | { session_ended: { session_id: string; cause: EndCause } }
  | { tab_lost: { session_id: string; tab_id: number; cause: LossCause } }
  | { tab_opened: { session_id: string; tab_id: number; opener_tab_id: number } }
  | { asking: { session_id: string; is_open: boolean } }
  | { user_acted: { session_id: string; tab_id: number } }
  | { document_request: { tab_id: number } & DocumentRequest }
  | { cdp: { tab_id: number; method: string; params: unknown } };

/** How the connection to the host is, for the popup. */
export interface ConnectionState {
  state: 'connected' | 'connecting' | 'disconnected';
  cause?: 'host_not_found' | 'host_forbidden' | 'host_exited' | 'host_refused' | 'version_skew' | 'switched_off';
  detail?: string;
}
