import { Type, type Static } from 'typebox';

/** What a page and the service say to each other about the sound of calls, over the WebSocket at `/app/phone`. */

const callId = Type.Integer({ description: 'The call that one is in.' });
/** Counted by the page: an answer names the offer that it answers. */
const no = Type.Integer({ minimum: 1 });

/** Longer ones are no browser's. */
export const LONGEST_SDP = 20_000;

export const FromPage = Type.Union([
  /** Says who this page is, first of all; `take` where it is to be the telephone although another page is. */
  Type.Object({ kind: Type.Literal('here'), phone: Type.String({ format: 'uuid' }), take: Type.Boolean() }),
  Type.Object({ kind: Type.Literal('offer'), call_id: callId, no, sdp: Type.String({ maxLength: LONGEST_SDP }) }),
]);
export type FromPage = Static<typeof FromPage>;

export type IceServer = { urls: string[]; username?: string; credential?: string };

export type ToPage =
  /** Whether this page is the telephone; one page of a person is, across tabs and browsers. */
  | { kind: 'phone'; mine: boolean; ice_servers: IceServer[] }
  | { kind: 'answer'; call_id: number; no: number; sdp: string }
  /** With a sentence for the one who reads it. */
  | { kind: 'refused'; call_id: number; no: number; reason: string };
