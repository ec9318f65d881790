import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { ToPage } from '../../contract/phones.ts';
import { eventually } from '../leadline.ts';
import { skipWithout } from '../peers.ts';
import { openRelay, type Relay } from '../relay.ts';
import { loudestTone, measureTone } from '../sound.ts';
import { findTurnServer, openTurnServer } from '../turn.ts';
import { withBrowser } from './browser.ts';
import { openDesk, openHummingBrowser, type Agent } from './calling.ts';
import { OTHER, OWN } from './ear.ts';
import { openService } from './service.ts';

/** Calls whose sound goes through a network that is not what it should be. */
const SECONDS = Number(process.env.SOUND_SECONDS ?? 60);
const tell = (what: string, figures: object) => console.log(`# ${what}: ${JSON.stringify(figures)}`);

const HUMS = '0180';
const turnPath = withBrowser.skip ? undefined : findTurnServer();
const withTurn = {
  skip: withBrowser.skip || skipWithout(turnPath !== undefined, 'there is no coturn on this machine, nor to be had'),
};
const turn = turnPath === undefined ? undefined : await openTurnServer(turnPath);
const service = await openService({ PUBLIC_IP: '127.0.0.1', ...(turn && { ICE_SERVERS: turn.setting }) });
if (!withBrowser.skip)
  await openHummingBrowser(turn ? [`--ignore-certificate-errors-spki-list=${turn.fingerprint}`] : []);

/** Where the page is told of the engine's port, it is told of the relay's. */
const through =
  (relay: Relay, { hasTurn = false } = {}) =>
  (page: Page) =>
    page.routeWebSocket('**/app/phone', (own) => {
      const server = own.connectToServer();
      own.onMessage((message) => server.send(message));
      server.onMessage(async (text) => {
        const message = JSON.parse(String(text)) as ToPage;
        if (message.kind === 'answer') message.sdp = await relay.redirect(message.sdp);
        if (message.kind === 'phone' && !hasTurn) message.ice_servers = [];
        own.send(JSON.stringify(message));
      });
    });

/** Heard in the browser, and on the recording. */
async function isHeardBothWays({ ear, recordedSoFar }: Agent, id: number): Promise<void> {
  await ear.hears(OTHER);
  const from = (await recordedSoFar(id)).seconds;
  await eventually('both are recorded', async () => {
    const { left, right, seconds } = await recordedSoFar(id);
    const [ours, theirs] = [left, right].map((side) => side.subarray(-4_000));
    return seconds > from && measureTone(ours!, OWN) > 4_000 && measureTone(theirs!, OTHER) > 4_000;
  });
}

/** As long as the call was, and each end on its own side alone. */
async function expectWhole(agent: Agent, id: number): Promise<void> {
  await agent.page.keyboard.press('h');
  const { duration } = await agent.over(id);
  const { left, right, seconds } = await agent.recordingOf(id);
  assert.ok(Math.abs(seconds - duration) < 1.5, `${seconds} s are recorded of ${duration} s`);
  for (const [side, own, others] of [
    [left, OWN, OTHER],
    [right, OTHER, OWN],
  ] as const) {
    const [there, not] = [loudestTone(side, own), loudestTone(side, others)];
    assert.ok(there > 5_000 && not < there / 20, `${own} Hz: ${Math.round(there)}, ${others} Hz: ${Math.round(not)}`);
  }
}

describe('sound comes back', withBrowser, () => {
  test('after the address of the agent has changed', async () => {
    const relay = openRelay();
    const agent = await openDesk(service, HUMS, through(relay));
    const id = await agent.dial();
    await isHeardBothWays(agent, id);
    const mark = await agent.ear.mark();
    relay.move();
    await isHeardBothWays(agent, id);
    tell('another address', {
      away_ms: await agent.ear.longestGap(OTHER, mark),
      connections: await agent.ear.countConnections(),
    });
    await expectWhole(agent, id);
  });

  test('through a network that loses five of a hundred packets and delays them by up to 60 ms', async () => {
    const relay = openRelay();
    const agent = await openDesk(service, HUMS, through(relay));
    Object.assign(relay.network, { loss: 5, jitterMs: 60 });
    const id = await agent.dial();
    await isHeardSomehow(agent, id);
    const mark = await agent.ear.mark();
    await agent.ear.forgetConcealed();
    relay.count();
    await sleep(SECONDS * 1_000);
    const { passed, lost } = relay.count();
    // The browser counts it, and the bar says so; with a better network it goes.
    const loses = agent.page.getByText(/^Your connection loses/);
    await loses.waitFor();
    const { left, right } = await agent.recordedSoFar(id);
    tell('5 % loss, 60 ms jitter', {
      passed,
      lost,
      heardGapMs: await agent.ear.longestGap(OTHER, mark),
      concealedMs: await agent.ear.concealed(),
      left: Math.round(shareOf(left.subarray(-SECONDS * 8_000), OWN) * 1_000) / 10,
      right: Math.round(shareOf(right.subarray(-SECONDS * 8_000), OTHER) * 1_000) / 10,
    });
    // Of what was said, as much is on the recording as came through.
    assert.ok(shareOf(left.subarray(-SECONDS * 8_000), OWN) > 0.85);
    assert.ok(lost > 0 && passed > lost);
    Object.assign(relay.network, { loss: 0, jitterMs: 0 });
    await loses.waitFor({ state: 'hidden' });
    await expectWhole(agent, id);
  });

  test('after five seconds in which nothing went through', async () => {
    const relay = openRelay();
    const agent = await openDesk(service, HUMS, through(relay));
    const id = await agent.dial();
    await isHeardBothWays(agent, id);
    const mark = await agent.ear.mark();
    relay.network.isDown = true;
    const down = sleep(5_000);
    await agent.page.getByText('No sound arrives here').waitFor();
    await down;
    relay.network.isDown = false;
    const up = Date.now();
    await isHeardBothWays(agent, id);
    tell('five seconds dead', {
      back_after_ms: Date.now() - up,
      away_ms: await agent.ear.longestGap(OTHER, mark),
      connections: await agent.ear.countConnections(),
    });
    await agent.page.getByText('Connected').waitFor();
    await expectWhole(agent, id);
  });
});

describe('where no UDP goes through', withTurn, () => {
  test('sound goes by TLS to coturn, and from there to us', async () => {
    const relay = openRelay();
    relay.network.lets = turn!.isFrom;
    const agent = await openDesk(service, HUMS, through(relay, { hasTurn: true }));
    const began = Date.now();
    const id = await agent.dial();
    await isHeardBothWays(agent, id);
    const way = await agent.ear.way();
    tell('UDP blocked', { way, heard_after_ms: Date.now() - began });
    // What its relay calls it is its own business.
    assert.match(way, / tls$/);
    await expectWhole(agent, id);
  });
});

/** How much of a channel is that note, in pieces of 20 ms. */
function shareOf(samples: Int16Array, note: number): number {
  let there = 0;
  const pieces = Math.floor(samples.length / 160);
  for (let at = 0; at < pieces; at++)
    if (measureTone(samples.subarray(at * 160, at * 160 + 160), note) > 4_000) there += 1;
  return there / pieces;
}

/** With holes in it. */
async function isHeardSomehow({ recordedSoFar }: Agent, id: number): Promise<void> {
  await eventually('both are recorded', async () => {
    const { left, right } = await recordedSoFar(id);
    return shareOf(left.subarray(-8_000), OWN) > 0.8 && shareOf(right.subarray(-8_000), OTHER) > 0.8;
  });
}
