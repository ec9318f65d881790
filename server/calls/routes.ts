import { Type } from 'typebox';
import {
  Call,
  CallChange,
  Digits,
  DIRECTIONS,
  DISPOSITIONS,
  HangUp,
  Hold,
  Line,
  NewCall,
  ReadNumbers,
  RecordingPause,
  Simulation,
  Sound,
  Taker,
  Transfer,
} from '../../contract/calls.ts';
import { answerPage, Paging, readPage } from '../platform/paging.ts';
import { readId } from '../platform/read.ts';
import { readAfter, route, type Route } from '../platform/route.ts';
import { readCall, readCalls } from './calls.ts';
import { assignCall, dialCall } from './dial.ts';
import { answerCall, declineCall, findOwnCall, hangUp, readLine } from './line.ts';
import { readNumbers } from '../numbers/numbers.ts';
import { listCalls } from './log.ts';
import { simulate } from './simulate.ts';
import { readSound } from './sound.ts';
import { tellOfCall } from './tell.ts';
import { holdCall, pauseRecording, pressDigits } from './talking.ts';
import { listTakers } from './takers.ts';
import { handOver, transferCall } from './transfer.ts';

const TIME_FORMS = '`YYYY-MM-DD HH:MM:SS UTC` or ISO 8601; UTC where no zone is given.';

const CallQuery = Type.Object({
  ...Paging.properties,
  since: Type.Optional(
    Type.String({ maxLength: 100, description: `Calls that started at or after this time. ${TIME_FORMS}` }),
  ),
  until: Type.Optional(Type.String({ maxLength: 100, description: `Calls that started before it. ${TIME_FORMS}` })),
  user: Type.Optional(
    Type.String({ maxLength: 254, description: 'Id or e-mail of the user whom `user_email` of the calls names.' }),
  ),
  list: Type.Optional(Type.Integer({ description: 'Id of the list in which the lead of the calls is now.' })),
  lead_id: Type.Optional(Type.Integer({ description: 'Id of the lead of the calls.' })),
  direction: Type.Optional(Type.Enum([...DIRECTIONS], { description: 'Who called whom.' })),
  disposition: Type.Optional(Type.Enum([...DISPOSITIONS], { description: 'How they ended.' })),
});

/** At both doors. */
export const callRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/calls',
    kind: 'dear',
    summary: 'Calls, newest first',
    right: 'calls.read',
    query: CallQuery,
    answer: [200, Type.Array(Call)],
    async read(reading, asked) {
      const page = readPage(asked.query);
      const { calls, total, end } = await listCalls(reading, asked.actor, asked.query, page);
      return answerPage(asked, page, { json: JSON.stringify(calls), total, end });
    },
  }),
  route({
    method: 'GET',
    path: '/calls/:id',
    summary: 'One call',
    right: 'calls.read',
    answer: [200, Call],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readCall(reading, actor, readId(params.id)),
    }),
  }),
];

/** For the pages. */
export const callPageRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/leads/:id/numbers',
    summary: 'Where the phone numbers of a lead are, and in which time zone',
    right: 'leads.read',
    answer: [200, ReadNumbers],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readNumbers(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'GET',
    path: '/calls/:id/sound',
    summary: 'What the recordings of a call look like, or why there are none to hear',
    right: 'calls.read',
    answer: [200, Sound],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readSound(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'GET',
    path: '/line',
    kind: 'vital',
    summary: 'The call one is in, and those that ring',
    right: 'calls.make',
    answer: [200, Line],
    read: async (reading, { actor }) => ({ status: 200, body: await readLine(reading, actor) }),
  }),
  route({
    method: 'POST',
    path: '/calls',
    kind: 'vital',
    summary: 'Call a lead or a number',
    right: 'calls.make',
    body: NewCall,
    answer: [201, Call],
    async act(work, { actor, body }) {
      const id = await dialCall(work, actor, body.call);
      return { status: 201, body: await readCall(work, actor, id), headers: { location: `/app/calls/${id}` } };
    },
  }),
  route({
    method: 'PATCH',
    path: '/calls/:id',
    summary: 'Say which lead a call was about',
    right: 'calls.make',
    body: CallChange,
    answer: [200, Call],
    async act(work, asked) {
      const { actor, params } = asked;
      const id = await findOwnCall(work, actor, readId(params.id));
      await assignCall(work, actor, id, asked.body.call.lead_id);
      await tellOfCall(work, actor.account.id, id);
      return { status: 200, body: await readCall(work, actor, id) };
    },
  }),
  route({
    method: 'POST',
    path: '/calls/:id/hang_up',
    kind: 'vital',
    counted: false,
    summary: 'End a call of one’s own',
    right: 'calls.make',
    body: Type.Optional(HangUp),
    answer: [200, Call],
    async act(work, asked) {
      const { actor, params } = asked;
      const find = () => findOwnCall(work, actor, readId(params.id));
      const body = await readAfter(asked, 'body', find);
      const id = await find();
      await hangUp(work, actor, id, body?.voicemail ?? false);
      return { status: 200, body: await readCall(work, actor, id) };
    },
  }),
  route({
    method: 'GET',
    path: '/calls/:id/takers',
    summary: 'Colleagues who are there, and which of them a call can be passed on to',
    right: 'calls.make',
    answer: [200, Type.Array(Taker)],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await listTakers(reading, actor, await findOwnCall(reading, actor, readId(params.id))),
    }),
  }),
  route({
    method: 'POST',
    path: '/calls/:id/transfer',
    summary: 'Pass a call on to another number or to a colleague; when they answer, one is free',
    right: 'calls.make',
    body: Transfer,
    answer: [201, Call],
    async act(work, asked) {
      const { actor, params } = asked;
      const from = await findOwnCall(work, actor, readId(params.id));
      const id = await transferCall(work, actor, from, asked.body);
      return { status: 201, body: await readCall(work, actor, id) };
    },
  }),
  route({
    method: 'POST',
    path: '/calls/:id/transfer/complete',
    kind: 'vital',
    summary: 'Hand a call over to whoever was asked',
    right: 'calls.make',
    answer: [200, Call],
    async act(work, { actor, params }) {
      const id = await handOver(work, actor, await findOwnCall(work, actor, readId(params.id)));
      // It may be a colleague's by now.
      const [call] = await readCalls(work, actor, [id]);
      return { status: 200, body: call! };
    },
  }),
  route({
    method: 'POST',
    path: '/calls/:id/hold',
    kind: 'vital',
    summary: 'Let the other end wait, or talk to them again',
    right: 'calls.make',
    body: Hold,
    answer: [200, Call],
    async act(work, asked) {
      const { actor, params } = asked;
      const id = await findOwnCall(work, actor, readId(params.id));
      await holdCall(work, actor, id, asked.body.on);
      return { status: 200, body: await readCall(work, actor, id) };
    },
  }),
  route({
    method: 'POST',
    path: '/calls/:id/digits',
    kind: 'vital',
    summary: 'Press digits in a call',
    right: 'calls.make',
    // They may be a card's: nothing of it is kept.
    secret: true,
    body: Digits,
    answer: [204, Type.Null()],
    async act(work, asked) {
      const { actor, params } = asked;
      const id = await findOwnCall(work, actor, readId(params.id));
      await pressDigits(work, actor, id, asked.body.digits);
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/calls/:id/recording',
    kind: 'vital',
    summary: 'Leave out of the recording what is said from now on, or record again',
    right: 'calls.make',
    body: RecordingPause,
    answer: [200, Call],
    async act(work, asked) {
      const { actor, params } = asked;
      const id = await findOwnCall(work, actor, readId(params.id));
      await pauseRecording(work, actor, id, asked.body.paused);
      return { status: 200, body: await readCall(work, actor, id) };
    },
  }),
  route({
    method: 'POST',
    path: '/calls/:id/answer',
    kind: 'vital',
    summary: 'Answer a call that rings; its lead opens',
    right: 'calls.make',
    answer: [200, Call],
    async act(work, { actor, params }) {
      const id = await answerCall(work, actor, readId(params.id));
      return { status: 200, body: await readCall(work, actor, id) };
    },
  }),
  route({
    method: 'POST',
    path: '/calls/:id/decline',
    kind: 'vital',
    summary: 'Let a call that rings go to the others',
    right: 'calls.make',
    answer: [204, Type.Null()],
    async act(work, { actor, params }) {
      await declineCall(work, actor, readId(params.id));
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/simulate',
    summary: 'Make someone call or write, on the simulated line',
    right: 'line.simulate',
    body: Simulation,
    answer: [202, Type.Null()],
    async act(work, { actor, body }) {
      await simulate(work, actor, body);
      return { status: 202, json: 'null' };
    },
  }),
];
