import written from './examples.json' with { type: 'json' };

/** One request and what the service really answered, as `bin/examples/` wrote it down. */
export type Example = {
  /** With its query, without /api/v2. */
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  answer?: unknown;
};

/** Name of an operation → status → example. */
export type Examples = Record<string, Record<string, Example>>;
/** Name of an event → what a subscriber was sent. */
export type Notifications = Record<string, { headers: Record<string, string>; body: unknown }>;

/** The account of the examples. The description says the account's own in its place. */
export const EXAMPLE_ADDRESS = 'https://calls.example.com';

export const { answers, notifications }: { answers: Examples; notifications: Notifications } = written;
