import { Type } from 'typebox';
import { Ahead, Day, Desk, Going, Hold, Next, Past, SignOfLife, Skip } from '../../contract/queue.ts';
import { Away } from '../../contract/calls.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import { holdLead, releaseAllHolds, releaseHold, skipLead } from '../leads/holds.ts';
import { readAhead } from './ahead.ts';
import { comeBack, goAway } from './away.ts';
import { readDay } from './day.ts';
import { readDesk } from './desk.ts';
import { giveNext } from './queue.ts';

const Nothing = Type.Null();

export const queueRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/lists/:id/desk',
    summary: 'The script, fields and categories of a list, to work it on screen',
    right: 'leads.read',
    answer: [200, Desk],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readDesk(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'GET',
    path: '/lists/:id/ahead',
    summary: 'What the queue of a list will likely bring, as it stands',
    right: 'queue.work',
    query: Past,
    answer: [200, Ahead],
    async read(reading, asked) {
      const past = (asked.query.past ?? '').split(',').flatMap((text) => readId(text) ?? []);
      return { status: 200, body: await readAhead(reading, asked.actor, readId(asked.params.id), past) };
    },
  }),
  route({
    method: 'GET',
    path: '/day',
    summary: 'What one has done today',
    right: 'queue.work',
    answer: [200, Day],
    read: async (reading, { actor }) => ({ status: 200, body: await readDay(reading, actor) }),
  }),
  route({
    method: 'POST',
    path: '/lists/:id/next',
    kind: 'vital',
    summary: 'The lead to work on next, held for whoever asks',
    right: 'queue.work',
    body: Type.Optional(Going),
    answer: [200, Next],
    async act(work, { actor, params, body }) {
      const past = [body?.past ?? []].flat();
      return giveNext(work, actor, readId(params.id), past).map((json) => ({ status: 200, json }));
    },
  }),
  route({
    method: 'POST',
    path: '/leads/:id/hold',
    kind: 'vital',
    counted: false,
    summary: 'Open a lead, or say that it is still open',
    right: 'queue.work',
    body: Type.Optional(SignOfLife),
    answer: [200, Hold],
    async act(work, asked) {
      const held = await holdLead(work, asked.actor, readId(asked.params.id), asked.body);
      return held.map((until) => ({ status: 200, body: { held_until: until.toISOString() } }));
    },
  }),
  route({
    method: 'DELETE',
    path: '/leads/:id/hold',
    kind: 'vital',
    summary: 'Let a lead go',
    right: 'queue.work',
    answer: [204, Nothing],
    async act(work, { actor, params }) {
      return releaseHold(work, actor, readId(params.id)).map(() => ({ status: 204 }));
    },
  }),
  route({
    method: 'DELETE',
    path: '/holds',
    kind: 'vital',
    summary: 'Let all leads go that one has open',
    right: 'queue.work',
    answer: [204, Nothing],
    async act(work, { actor }) {
      return releaseAllHolds(work, actor).map(() => ({ status: 204 }));
    },
  }),
  route({
    method: 'PUT',
    path: '/away',
    kind: 'vital',
    summary: 'Be away for a reason: not rung, and given no lead',
    right: 'queue.work',
    body: Away,
    answer: [204, Nothing],
    async act(work, { actor, body }) {
      await goAway(work, actor, body.reason);
      return { status: 204 };
    },
  }),
  route({
    method: 'DELETE',
    path: '/away',
    kind: 'vital',
    summary: 'Be back',
    right: 'queue.work',
    answer: [204, Nothing],
    async act(work, { actor }) {
      await comeBack(work, actor);
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/leads/:id/skip',
    kind: 'vital',
    summary: 'Put a lead behind all others of its rank for this round',
    right: 'queue.work',
    body: Type.Optional(Skip),
    answer: [204, Nothing],
    async act(work, asked) {
      const skipped = await skipLead(work, asked.actor, readId(asked.params.id), () => asked.body?.lead ?? {});
      return skipped.map(() => ({ status: 204 }));
    },
  }),
];
