import type { Page } from 'playwright-core';
import { send } from '../house.ts';
import { makeFolder, startLeadline } from '../leadline.ts';
import { openSubscriber } from '../subscriber.ts';

export const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const KEY = 'a-key-for-the-browser-tests-0123456789';
export const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

/** A service with a list, its leads and a subscriber, all through its own requests. */
export async function furnish() {
  const folder = makeFolder();
  const leadline = await startLeadline({
    env: {
      DATA_DIR: folder,
      OWNER_EMAIL: OWNER.email,
      OWNER_PASSWORD: OWNER.password,
      ACCOUNT_API_KEY: KEY,
      RATE_LIMITS: 'off',
    },
  });
  const api = async (method: string, path: string, body?: unknown) =>
    (await send(`${leadline.address}/api/v2${path}`, method, body, { authorization: `Token "${KEY}"` })).body;
  const list = await api('POST', '/lists', {
    list: {
      name: 'Fleet charging',
      description: `# Opening\n\nGood morning {{first_name}}, do you run {{company_name}}? ${HOSTILE}\n\n# Offer\n\nWe charge **vans**. [Click](javascript:window.hacked=1)`,
      winner_categories: 'Order, Meeting',
      call_back_categories: 'Bad time, Positive, No answer',
      loser_categories: HOSTILE.replaceAll(',', ''),
    },
  });
  const subscriber = await openSubscriber();
  await api('POST', `/lists/${list.id}/webhook`, {
    webhook: { event: 'winner', target_url: `${subscriber.url}/winner` },
  });
  const signedIn = await send(`${leadline.address}/app/session`, 'POST', OWNER, { origin: leadline.address });
  const cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!;
  const app = async (method: string, path: string, body?: unknown) =>
    (await send(`${leadline.address}/app${path}`, method, body, { cookie, origin: leadline.address })).body;
  const addLeads = async (names: string[], ending: string) => {
    for (const name of names)
      await api('POST', `/lists/${list.id}/leads`, {
        lead: { company_name: name, first_name: 'Imogen', work_office_phone: `+44207946${ending}` },
      });
  };
  /** Invited, and in by the link of the mail, which is opened in the browser. */
  const join = async (page: Page, email: string) => {
    await api('POST', '/users', {
      accept_charge_upon_invitation_acceptance: '1',
      user: { email, first_name: 'Ann', listing_ids: [list.id] },
    });
    const mails = (await app('GET', '/outbox')) as { recipient: string; text: string }[];
    const link = /https?:\/\/\S+/.exec(mails.find(({ recipient }) => recipient === email)!.text)![0];
    const { pathname, search } = new URL(link);
    await page.goto(leadline.address + pathname + search);
    await page.getByLabel('Password').fill(OWNER.password);
    await page.keyboard.press('Enter');
  };
  return { leadline, folder, api, app, list, subscriber, addLeads, join };
}
