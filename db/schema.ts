// Written by `npm run generate`: a row of each table, as it is read.

export type Accounts = {
  announce_recording: boolean;
  away_reasons: string[];
  base_url: string;
  caller_name: string | null;
  caller_number: string | null;
  claim_lapse_days: number | null;
  claim_on_put_off: boolean;
  claim_on_schedule: boolean;
  claim_on_win: boolean;
  country: string;
  created_at: Date;
  host: string;
  id: number;
  most_automated_calls: number | null;
  most_calls_a_day: number | null;
  most_calls_a_number: number | null;
  most_texts_a_day: number | null;
  most_texts_a_number: number | null;
  name: string;
  record_calls: boolean;
  recordings_keep_days: number | null;
  time_zone: string;
  updated_at: Date;
};

export type ApiKeys = {
  account_id: number;
  created_at: Date;
  expires_at: Date | null;
  hash: Buffer;
  id: number;
  last_used_at: Date | null;
  sealed: Buffer;
  user_id: number | null;
};

export type AuditLog = {
  account_id: number;
  action: string;
  actor: string;
  address: string;
  at: Date;
  detail: unknown;
  id: number;
  subject: string;
  user_id: number | null;
};

export type BulkActs = {
  account_id: number;
  address: string;
  asked: unknown;
  begun_at: Date | null;
  created_at: Date;
  except_ids: number[];
  finished_at: Date | null;
  gathered_after: number | null;
  id: number;
  kind: string;
  matching: unknown;
  position: number;
  reasons: unknown;
  refusals: number;
  says: string;
  stopped_at: Date | null;
  total: number;
  undoes: number | null;
  undone_by: number | null;
  unknown: number;
  user_id: number;
  via: string;
};

export type BulkLeads = {
  account_id: number;
  act_id: number;
  before: unknown;
  lead_id: number;
  left_at: Date | null;
  place: number;
  refused: string | null;
};

export type Calls = {
  account_id: number;
  announced: boolean;
  answered_at: Date | null;
  asked: boolean;
  caller_name: string | null;
  caller_number: string | null;
  carrier: string | null;
  carrier_call_id: string | null;
  counted_as: string | null;
  declined_by: number[];
  destination_number: string;
  dialled_at: Date | null;
  digits: string | null;
  direction: string;
  disposition: string | null;
  ended_at: Date | null;
  ended_by: string | null;
  event_id: number | null;
  handed_over_at: Date | null;
  hang_up_at: Date | null;
  id: number;
  lead_id: number | null;
  list_id: number | null;
  nobody: boolean;
  offered_to: number | null;
  on_hold: boolean;
  on_hold_by_other: boolean;
  page_seen_at: Date | null;
  rang_at: Date;
  recorded: boolean;
  recording_paused: boolean;
  recording_told_at: Date | null;
  recording_told_to_list_at: Date | null;
  started_at: Date;
  state: string;
  taken_at: Date | null;
  told_at: Date | null;
  transfer_of: number | null;
  user_id: number | null;
  voicemail: boolean;
};

export type CarrierReports = {
  account_id: number;
  carrier: string;
  id: number;
  key: string;
  received_at: Date;
  report: unknown;
  subject: string;
};

export type DeletedLeads = {
  account_id: number;
  deleted_at: Date;
  deleted_by: string;
  lead_id: number;
  list_id: number;
};

export type Deliveries = {
  account_id: number;
  attempts: number;
  before_plan: number;
  created_at: Date;
  event_id: number | null;
  id: number;
  later: boolean;
  next_at: Date;
  resource: string;
  state: string;
  taken_by: number | null;
  webhook_id: number;
};

export type DeliveryAttempts = {
  account_id: number;
  answer: string;
  at: Date;
  attempt: number;
  delivery_id: number;
  error: string | null;
  ms: number;
  status: number | null;
};

export type Events = {
  account_id: number;
  category: string | null;
  changes: unknown;
  comment: string;
  created_at: Date;
  id: number;
  kind: string;
  lead_id: number;
  list_id: number;
  user_id: number | null;
  via: string;
};

export type Exports = {
  account_id: number;
  asked: unknown;
  created_at: Date;
  id: number;
  user_id: number;
};

export type IdempotentAnswers = {
  account_id: number;
  created_at: Date;
  key: string;
  request_hash: Buffer;
  sealed: Buffer;
  subject: string;
};

export type IgnoredDuplicates = {
  account_id: number;
  lead_id: number;
  other_id: number;
};

export type ImportLeads = {
  account_id: number;
  before: unknown;
  import_id: number;
  kept: string | null;
  lead_id: number;
  left_at: Date;
  row: number;
};

export type ImportParts = {
  account_id: number;
  import_id: number;
};

export type Imports = {
  account_id: number;
  address: string;
  begun_at: Date | null;
  bytes: number;
  checked_to: number;
  columns: unknown;
  counts: unknown;
  created_at: Date;
  digest: string | null;
  done: number;
  done_to: number;
  file_name: string;
  finished_at: Date | null;
  goes_on: boolean;
  headings: string | null;
  how_read: unknown;
  id: number;
  kept: number;
  last_row: number;
  left_out: number;
  list_id: number | null;
  list_name: string;
  made: number;
  plan: unknown;
  put_back: number;
  received: number;
  received_at: Date | null;
  refusal: string | null;
  removed: number;
  rows: number;
  shape: string | null;
  sheets: string[];
  staged: boolean;
  state: string;
  stopped_at: Date | null;
  taken_at: Date | null;
  taken_by: string | null;
  undo_begun_at: Date | null;
  undone_at: Date | null;
  undone_to: number;
  updated: number;
  user_id: number;
  version: number;
  via: string;
  went_on_at: Date;
};

export type Installation = {
  alone: boolean;
  made_at: Date;
  sealed: Buffer;
};

export type LeadCounts = {
  account_id: number;
  category: string;
  leads: number;
  list_id: number;
  moves: number;
  shard: number;
  state: string;
};

export type LeadData = {
  account_id: number;
  created_at: Date;
  data: unknown;
  hidden: unknown;
  lead_id: number;
  list_id: number;
  marks: string[];
  said: string;
  words: string;
};

export type LeadMarks = {
  account_id: number;
  lead_id: number;
  list_id: number;
  mark: string;
};

export type LeadViews = {
  account_id: number;
  changed_at: Date;
  id: number;
  name: string;
  shared: boolean;
  shows: unknown;
  user_id: number;
};

export type Leads = {
  account_id: number;
  category: string | null;
  claimant: number | null;
  claimed_at: Date | null;
  claimed_by: number | null;
  created_at: Date;
  exactly: boolean;
  held_by: number | null;
  held_until: Date | null;
  id: number;
  input_at: Date | null;
  last_updated: Date;
  list_id: number;
  rank: number | null;
  scheduled_for: Date | null;
  skipped: boolean;
  state: string;
  turn_at: Date;
};

export type LeadsBroughtBack = {
  account_id: number;
  brought_back_at: Date;
  lead_id: number;
  list_id: number;
};

export type Leases = {
  name: string;
  node_id: number;
};

export type ListColumns = {
  account_id: number;
  id: number;
  key: string;
  kind: string;
  label: string;
  list_id: number;
  locked: boolean;
  options: string[];
  position: number;
  required: boolean;
  visible: boolean;
};

export type ListJobs = {
  account_id: number;
  after_at: Date | null;
  after_id: number | null;
  asked: unknown;
  created_at: Date;
  done: number;
  finished_at: Date | null;
  id: number;
  kind: string;
  list_id: number;
  result: unknown;
  total: number;
  user_id: number | null;
};

export type ListPeople = {
  account_id: number;
  list_id: number;
  user_id: number;
};

export type Lists = {
  account_id: number;
  archived_at: Date | null;
  blanks: unknown;
  caller_name: string | null;
  caller_number: string | null;
  categories: unknown;
  changed_at: Date;
  claim_on_put_off: boolean | null;
  claim_on_schedule: boolean | null;
  claim_on_win: boolean | null;
  created_at: Date;
  deleted_at: Date | null;
  deleted_by: string | null;
  description: string;
  duplicates_match_on: string;
  duplicates_match_on_email: boolean;
  duplicates_match_on_phone: boolean;
  former_categories: unknown;
  holds_deleted: boolean;
  id: number;
  identifiers: string[];
  inline_identifiers: boolean;
  locked_on_defaults: boolean;
  name: string;
  paused_at: Date | null;
  prepend_phone: string | null;
  purpose: string;
  queue_new_before_call_backs: boolean;
  queue_new_before_due: boolean;
  record_calls: boolean | null;
  retries: unknown;
  show_avatars: boolean;
  unsettled: boolean;
  versions: unknown;
};

export type MailedTokens = {
  account_id: number;
  created_at: Date;
  email_folded: string;
  expires_at: Date;
  hash: Buffer;
  purpose: string;
  shown_at: Date | null;
  user_id: number;
};

export type Mails = {
  account_id: number;
  attempts: number;
  created_at: Date;
  due_at: Date;
  ends_at: Date;
  id: number;
  last_error: string | null;
  recipient: string;
  sealed: Buffer;
  sent_at: Date | null;
  subject: string;
};

export type MergedLeads = {
  account_id: number;
  lead_id: number;
  survivor_id: number;
};

export type Migrations = {
  applied_at: Date;
  checksum: string;
  name: string;
};

export type Nodes = {
  folder: string | null;
  host: string;
  id: number;
  pid: number;
  role: string;
  seen_at: Date;
  started_at: Date;
  version: string;
};

export type OptOuts = {
  account_id: number;
  number: string;
  since: Date;
};

export type Phones = {
  account_id: number;
  answer: string | null;
  answer_no: number | null;
  call_id: number | null;
  fault: string | null;
  left_at: Date | null;
  node_id: number;
  offer: string | null;
  offer_no: number | null;
  page: string;
  user_id: number;
};

export type Presences = {
  account_id: number;
  began_at: Date;
  doing: string;
  ended_at: Date | null;
  id: number;
  reason: string | null;
  seen_at: Date;
  user_id: number;
};

export type Recordings = {
  account_id: number;
  call_id: number;
  error: string | null;
  failed_at: Date | null;
  file: string | null;
  folder: string | null;
  gaps: unknown;
  id: number;
  noted_at: Date;
  part: string;
  peaks: Buffer | null;
  ready_at: Date | null;
  removed_at: Date | null;
  seconds: number | null;
  started_at: Date;
};

export type RequestCounts = {
  number: number;
  requests: number;
  seconds: number;
  subject: Buffer;
};

export type ResetRequests = {
  account_id: number;
  asked_at: Date;
  email_folded: string;
};

export type Sessions = {
  account_id: number;
  address: string;
  browser: string;
  created_at: Date;
  expires_at: Date;
  hash: Buffer;
  id: number;
  kept: boolean;
  seen_at: Date;
  user_id: number;
};

export type Simulations = {
  account_id: number;
  happening: unknown;
  id: number;
  wanted_at: Date;
};

export type Texts = {
  account_id: number;
  body: string;
  carrier: string | null;
  carrier_text_id: string | null;
  counted_as: string | null;
  created_at: Date;
  direction: string;
  error: string | null;
  event_id: number | null;
  id: number;
  lead_id: number | null;
  number: string;
  own_number: string | null;
  state: string;
  told_at: Date | null;
  user_id: number | null;
};

export type Users = {
  accepted_at: Date | null;
  account_id: number;
  agent: boolean;
  analyst: boolean;
  away_reason: string | null;
  away_since: Date | null;
  created_at: Date;
  disabled_at: Date | null;
  email: string;
  email_folded: string;
  first_name: string;
  id: number;
  last_name: string;
  lists_admin: boolean;
  owner: boolean;
  page_seen_at: Date | null;
  password_hash: string | null;
  supervisor: boolean;
  updated_at: Date;
  users_admin: boolean;
};

export type Webhooks = {
  account_id: number;
  created_at: Date;
  ended_at: Date | null;
  event: string;
  id: number;
  last_error: string | null;
  list_id: number | null;
  sealed: Buffer;
  target_url: string;
};
