import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../leadline.ts';
import { LINGER } from './browser.ts';
import { ENGINES, sitDown } from './engines.ts';
import { furnish, openService, OWNER } from './service.ts';

// Where neither is installed there is nothing to start a service for.
const service = ENGINES.some(({ isHere }) => isHere) ? await openService() : undefined;

describe('the agent’s whole loop', () => {
  for (const { name, isHere, open } of ENGINES) {
    const skip = isHere ? false : `there is no ${name} on this machine`;
    test(
      `in ${name}: invitation, dial, talk, note, outcome, next, reload, picker, field, skip, all caught up`,
      { skip },
      async () => {
        const { api, list, invite, addLeads } = await furnish(service!);
        await addLeads(['Marlowe Freight', 'Ashdown Couriers', 'Quarry Lane'], '0101');
        const engine = await open();
        const { press, type, see, read, leadIs } = sitDown(engine);
        await engine.go(await invite('ann@example.com'));
        await see('the field for the password has the focus', `document.activeElement?.type === 'password'`);
        await type(OWNER.password);
        await press('Enter');
        await leadIs('Marlowe Freight');
        await see('the lead is said aloud', `document.activeElement?.tagName === 'H1'`);
        await engine.evaluate(LINGER);

        await press('d');
        await read('Connected');
        await press('w');
        await press('2');
        await press('e');
        await see('the note has the focus', `document.activeElement?.tagName === 'TEXTAREA'`);
        await type('Wants twelve chargers');
        await read('Hang up, save, next');
        await press('Control+Enter');
        await leadIs('Ashdown Couriers');
        await read('Winner saved');
        await press('z');
        await leadIs('Marlowe Freight');
        await press('n');
        await leadIs('Ashdown Couriers');
        const won = await eventually('it is won', async () => {
          const leads = (await api('GET', `/lists/${list.id}/leads`)) as { id: number; state: string }[];
          return leads.find(({ state }) => state === 'won');
        });
        const { events } = await api('GET', `/leads/${won.id}`);
        assert.deepEqual(
          [events[0].kind, events[0].category, events[0].comment, events[0].user_email],
          ['winner', 'Meeting', 'Wants twelve chargers', 'ann@example.com'],
        );

        await press('c');
        await press('1');
        await press('e');
        await see('the note has the focus', `document.activeElement?.tagName === 'TEXTAREA'`);
        await type('Half a thought');
        await see('it is written', `document.querySelector('textarea')?.value === 'Half a thought'`);
        await engine.go(await engine.evaluate<string>('location.href'));
        await leadIs('Ashdown Couriers');
        await see('the draft is there again', `document.querySelector('textarea')?.value === 'Half a thought'`);
        await see('the keys wake', `document.activeElement?.tagName === 'H1'`);
        await press('t');
        await see('the picker is open', `document.activeElement?.getAttribute('aria-label') === 'When'`);
        await type('in 2h');
        await press('Enter');
        await read('Exactly at');
        await press('Enter');
        await leadIs('Quarry Lane');

        await press('f');
        await see('a field is open', `document.activeElement?.tagName === 'INPUT'`);
        await press('Control+a');
        await type('Quarry Lane Haulage');
        await press('Enter');
        await leadIs('Quarry Lane Haulage');
        await press('s');
        await see('it is skipped', `document.querySelector('[aria-label=Activity]')?.innerText.includes('Skip')`);
        await read('Add the note');
        await press('l');
        await press('1');
        await press('Enter');
        await read('All caught up until');
      },
    );
  }
});
