import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LeadTable, TableLead } from '../../../contract/lead-table.ts';
import {
  beginRun,
  endOf,
  fallBehind,
  forget,
  givenUp,
  goBack,
  goOn,
  isBehind,
  leadAt,
  lengthOf,
  MOST_ROWS,
  pagesWithin,
  passOver,
  placeOf,
  refresh,
  rowsOf,
  shiftBetween,
  type Run,
} from './run.ts';
import { shiftByMark, shiftByRows, spotOf } from './spot.ts';

const lead = (id: number, more: Partial<TableLead> = {}): TableLead => ({
  id,
  list_id: 1,
  identifiers: [`Lead ${id}`],
  phone: '',
  state: 'new',
  category: null,
  scheduled_for: null,
  exactly: false,
  claimed_by: null,
  held_by: null,
  calls: 0,
  last_activity: null,
  created_at: '2026-11-16T12:00:00Z',
  last_updated: '2026-11-16T12:00:00Z',
  fields: {},
  ...more,
});

/** Ids from one on; marks at the ends that have more beyond them. */
const table = (first: number, many: number, more: Partial<LeadTable> = {}): LeadTable => ({
  leads: Array.from({ length: many }, (_, at) => lead(first + at)),
  total: { number: 1_000, about: false },
  place: first,
  before: `before ${first}`,
  after: `after ${first + many - 1}`,
  looked_at: null,
  hint: null,
  ...more,
});

describe('a run of rows', () => {
  test('is what was read, at its place', () => {
    const run = beginRun('', table(0, 100, { before: null }));
    assert.equal(leadAt(run, 0)!.id, 0);
    assert.equal(leadAt(run, 99)!.id, 99);
    assert.equal(leadAt(run, 100), undefined);
    assert.equal(leadAt(run, -1), undefined);
    assert.equal(rowsOf(run), 1_000);
    assert.equal(placeOf(run, 42), 42);
    assert.equal(placeOf(run, 420), undefined);
  });

  test('goes on and back, and a lead that comes twice is one row', () => {
    const middle = beginRun('', table(500, 100));
    const longer = goOn(middle, '', table(599, 100));
    assert.equal(lengthOf(longer), 199);
    assert.equal(placeOf(longer, 600), 600);
    const back = goBack(longer, '', table(400, 100));
    assert.equal(back.place, 400);
    assert.equal(placeOf(back, 600), 600);
    assert.equal(shiftBetween(longer, back), 0);
  });

  test('that meets the beginning was not where it was thought to be', () => {
    const thought = beginRun('', table(0, 50, { place: 70 }));
    const met = goBack(thought, '', table(1_000, 100, { before: null }));
    assert.equal(met.place, 0);
    assert.equal(placeOf(met, 0), 100);
    assert.equal(shiftBetween(thought, met), 30);
  });

  test('never stands before the first place while there is something in front of it', () => {
    const thought = beginRun('', table(0, 50, { place: 20 }));
    const back = goBack(thought, '', table(1_000, 100));
    assert.equal(back.place, 1);
    assert.equal(shiftBetween(thought, back), 81);
  });

  test('that meets the end corrects its place by an exact number, and an estimate by what it found', () => {
    const exact = beginRun('', table(0, 100, { place: 880, after: null }));
    assert.deepEqual([exact.place, endOf(exact)], [900, 1_000]);
    const all = goOn(
      beginRun('', table(0, 100, { before: null, total: { number: 5_000, about: true } })),
      '',
      table(100, 20, { after: null, total: { number: 5_000, about: true } }),
    );
    assert.deepEqual(all.total, { number: 120, about: false });
  });

  test('that follows a mark comes nearer where those in front of it have gone', () => {
    const run = beginRun('', table(0, 100, { place: 980 }));
    assert.deepEqual([run.place, rowsOf(run)], [899, 1_000]);
  });

  test('has room for what an estimate did not foresee', () => {
    const run = beginRun('', table(0, 100, { before: null, total: { number: 30, about: true } }));
    assert.equal(rowsOf(run), 101);
  });

  test('has no rows beyond where looking was given up, until someone goes on', () => {
    const hint = 'Add a token for the state.';
    const run = beginRun(
      '',
      table(0, 3, { before: null, hint, looked_at: 20_000, total: { number: 400, about: true } }),
    );
    assert.equal(rowsOf(run), 3);
    assert.equal(givenUp(run)!.looked_at, 20_000);
    const further = goOn(
      run,
      '',
      table(3, 2, { after: null, hint: null, looked_at: 11, total: { number: 400, about: true } }),
    );
    assert.equal(givenUp(further), undefined);
    assert.equal(rowsOf(further), 5);
  });

  test('forgets what is farthest from the rows in sight', () => {
    let run = beginRun('', table(0, 100, { before: null, total: { number: 100_000, about: false } }));
    for (let at = 100; at < 5_000; at += 100) {
      const total = { number: 100_000, about: false };
      run = forget(goOn(run, '', table(at, 100, { total })), at - 50, at);
    }
    assert.equal(lengthOf(run), MOST_ROWS);
    assert.equal(endOf(run), 5_000);
    assert.equal(leadAt(run, 4_999)!.id, 4_999);
    assert.equal(run.pages[0]!.before, `before ${run.place}`);
    const back = forget(goBack(run, '', table(2_900, 100)), 2_900, 2_950);
    assert.equal(back.place, 2_900);
    assert.equal(back.pages.at(-1)!.after, 'after 4899');
  });

  test('knows which pages are in sight', () => {
    const run = goOn(beginRun('a', table(0, 100, { before: null })), 'b', table(100, 100));
    const asked = (first: number, last: number) => pagesWithin(run, first, last).map((page) => page.asked);
    assert.deepEqual(asked(0, 30), ['a']);
    assert.deepEqual(asked(90, 120), ['a', 'b']);
    assert.deepEqual(asked(100, 120), ['b']);
  });
});

describe('a spot in a run', () => {
  const middle = goBack(beginRun('', table(500, 100)), '', table(400, 100));

  test('is told by the mark that the page in sight follows', () => {
    assert.deepEqual(spotOf(middle, 550, 552), { after: 'after 499', start: 500, first: 550, leads: [550, 551, 552] });
    // That of the first page is its first row.
    assert.deepEqual(spotOf(middle, 420, 420), { after: 'before 400', start: 401, first: 420, leads: [420] });
    assert.equal(spotOf(beginRun('', table(0, 100, { before: null })), 50, 60)!.after, null);
    assert.equal(spotOf(middle, 700, 710), undefined);
  });

  test('is found again where rows stand elsewhere than was thought', () => {
    const again = beginRun('', table(500, 200, { place: 530 }));
    const spot = spotOf(middle, 550, 560)!;
    assert.equal(shiftByMark(spot, again), 30);
    assert.equal(shiftByRows(spot, again), 30);
  });

  test('keeps its rows whatever came in front of them, even where some of them have gone far', () => {
    const now = table(500, 200, { place: 500 });
    now.leads = [lead(9_000), lead(9_001), ...now.leads.filter(({ id }) => id !== 550), lead(550)];
    const spot = spotOf(middle, 550, 560)!;
    assert.equal(shiftByMark(spot, beginRun('', now)), 0);
    assert.equal(shiftByRows(spot, beginRun('', now)), 1);
    now.leads = now.leads.filter(({ id }) => id < 550 || id > 560);
    assert.equal(shiftByRows(spot, beginRun('', now)), 0);
  });

  test('at the very beginning stays there', () => {
    const spot = spotOf(beginRun('', table(0, 100, { before: null })), 0, 10)!;
    const now = table(0, 100, { before: null });
    now.leads.unshift(lead(9_000));
    assert.equal(shiftByRows(spot, beginRun('', now)), 0);
  });
});

describe('a page that is asked for again', () => {
  const told = (...ids: number[]) => fallBehind(beginRun('', table(0, 5, { before: null })), new Set(ids));

  test('changes what its rows say and moves none', () => {
    const now = table(0, 5);
    now.leads[2] = lead(2, { state: 'won' });
    const run = told(2);
    const { run: after, moved } = refresh(run, run.pages[0]!, now);
    assert.equal(leadAt(after, 2)!.state, 'won');
    assert.deepEqual(moved, []);
    assert.ok(!isBehind(after.pages[0]!));
  });

  test('tells which of those that changed would come, go or change places', () => {
    const now = { ...table(0, 5), leads: [lead(9), lead(3), lead(0), lead(1)] };
    const run = told(9, 3, 2);
    const { run: after, moved } = refresh(run, run.pages[0]!, now);
    assert.deepEqual(
      after.pages[0]!.leads.map(({ id }) => id),
      [0, 1, 2, 3, 4],
    );
    assert.deepEqual(new Set(moved), new Set([2, 3, 9]));
  });
});

describe('a page is behind', () => {
  const run = goOn(beginRun('a', table(0, 100, { before: null })), 'b', table(100, 100));
  const behind = (one: Run) => one.pages.filter(isBehind).map(({ asked }) => asked);

  test('until it was asked for again, in sight or not, where one of its leads changed or may belong to it now', () => {
    assert.deepEqual(behind(run), []);
    const first = fallBehind(run, new Set([7]));
    assert.deepEqual(behind(first), ['a']);
    const both = fallBehind(first, new Set([999]));
    assert.deepEqual(behind(both), ['a', 'b']);
    assert.deepEqual(behind(fallBehind(run, 'any')), ['a', 'b']);
    const { run: after } = refresh(both, both.pages[1]!, table(100, 100));
    assert.deepEqual(behind(after), ['a']);
    const without = table(1, 99);
    without.leads = without.leads.filter(({ id }) => id !== 7);
    assert.deepEqual(refresh(after, after.pages[0]!, without).moved, [7]);
  });

  test('or its own leads were told where it takes long to find', () => {
    const first = fallBehind(run, new Set([7, 999]));
    const { run: after, moved } = passOver(first, first.pages[0]!);
    assert.deepEqual(moved, [7]);
    assert.deepEqual(behind(after), ['b']);
  });
});
