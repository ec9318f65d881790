import { WEBHOOK_EVENTS } from '../../contract/webhooks.ts';
import type { Examples } from '../../server/docs/examples.ts';
import { HEADERS } from '../../server/docs/headers.ts';
import { ACCOUNT_KEY, asking, enterPages, keyOf, OWNER, type Answer, type Ask, type Body } from './clients.ts';
import { steady, steadyHeader } from './steady.ts';
import type { Subscriber } from './subscriber.ts';

/** A day of a client, every operation once, and the refusals that clients meet. */
export async function tour(address: string, subscriber: Subscriber, answers: Examples): Promise<void> {
  const client = (key: string): Ask => asking(address, '/api/v2', { authorization: `Token "${key}"` });
  const by =
    (ask: Ask) =>
    async (operation: string, method: string, path: string, body?: Body | string, headers?: Record<string, string>) => {
      const answer = await ask(method, path, body, headers);
      // Each is first asked as it should be.
      if (answer.status >= 300 && !answers[operation]) throw new Error(`${operation}: ${answer.body.error}`);
      (answers[operation] ??= {})[answer.status] = toExample(path, typeof body === 'string' ? undefined : body, answer);
      return answer.body;
    };
  const tell = by(client(ACCOUNT_KEY));

  const user = { email: 'ann@example.com', first_name: 'Ann', last_name: 'Ash', agent: true };
  await tell('createList', 'POST', '/lists', {
    list: {
      name: 'Autumn',
      columns_attributes: {
        0: { label: 'Company name', kind: 'none' },
        1: { label: 'First name', kind: 'none' },
        2: { label: 'Work phone', kind: 'phone' },
        3: { label: 'E-mail', kind: 'email' },
        4: { label: 'Renewal', kind: 'date' },
      },
      description: 'Good morning {{first_name}}, do you run {{company_name}}?',
      call_back_categories: 'Bad time, Positive',
      winner_categories: 'Order, Meeting',
    },
  });
  await tell('createList', 'POST', '/lists', { list: { columns_attributes: { 0: { label: 'Phone', kind: 'fax' } } } });
  const invitation = { accept_charge_upon_invitation_acceptance: '1', user: { ...user, listing_ids: [1] } };
  const ann = await tell('inviteUser', 'POST', '/users', invitation);
  await tell('inviteUser', 'POST', '/users', invitation);
  await client(ACCOUNT_KEY)('POST', '/lists', { list: { name: 'Winter', lock_on_defaults: true } });
  await tell('listUsers', 'GET', '/users');
  await tell('getUser', 'GET', `/users/${ann.id}`);
  await tell('listLists', 'GET', '/lists');
  await tell('getList', 'GET', '/lists/1');
  await tell('getList', 'GET', '/lists/99');
  await tell('listColumns', 'GET', '/lists/1/columns');

  const lead = {
    company_name: 'Café Ærø',
    first_name: 'Imogen',
    work_phone: '+44 20 7946 0111',
    e_mail: 'imogen@example.com',
  };
  await tell(
    'createLead',
    'POST',
    '/lists/1/leads',
    { lead: { ...lead, source: 'Web form' } },
    { 'idempotency-key': 'form-4711' },
  );
  const others = [
    { company_name: 'Blue Bakery', first_name: 'Bo', work_phone: '+44 20 7946 0130' },
    { company_name: 'Corner Cycles', first_name: 'Cy', e_mail: 'cy@example.com', renewal: '2027-01-31' },
    { company_name: 'Café Aero', first_name: 'Imogen', work_phone: '+44 20 7946 0111' },
  ];
  for (const one of others) await client(ACCOUNT_KEY)('POST', '/lists/1/leads', { lead: one });
  await tell('updateLead', 'PATCH', '/leads/1', { lead: { renewal: '2027-03-01' } });
  await tell('delegateLead', 'PATCH', '/leads/1/delegate', { lead: { delegate_to: OWNER.email } });
  await tell('delegateLead', 'PATCH', '/leads/1/delegate', { lead: { delegate_to: 'nobody@example.com' } });
  const call_back = { category: 'Positive', scheduled_for: '2026-12-01 09:30:00 UTC', comment: 'Wants the big one' };
  await tell('markCallBack', 'POST', '/leads/1/call_back', { lead: call_back });
  await tell('markCallBack', 'POST', '/leads/1/call_back', { lead: { ...call_back, category: 'positive' } });
  await tell('markWinner', 'POST', '/leads/2/winner', { lead: { category: 'Order', comment: 'Twelve chargers' } });
  await tell('markLoser', 'POST', '/leads/3/loser', { lead: { comment: 'Has one already' } });
  await tell('markArchived', 'POST', '/leads/3/archive', { lead: { comment: 'Closed down' } });
  await tell('migrateLead', 'PATCH', '/leads/3/migrate', { lead: { to_list_id: 2, give_back_leads: '1' } });
  await tell('listLeads', 'GET', '/lists/1/leads?per_page=2');
  await tell('listLeads', 'GET', '/lists/1/leads?per_page=5000');
  await tell('findLeads', 'GET', '/lists/1/leads/find?e_mail=imogen%40example.com&first_name=Imogen');
  await tell('findLeads', 'GET', '/lists/1/leads/find?phone=1');
  await tell('searchLeads', 'GET', '/leads/search?query=cafe+aero+big&list_ids=1');
  await tell('searchLeads', 'GET', '/leads/search?query=');
  await tell('getLead', 'GET', '/leads/1');
  await tell('listEvents', 'GET', '/leads/1/events?per_page=3');
  await tell('getListStats', 'GET', '/lists/1/stats');

  const target_url = 'https://crm.example.com/leadline';
  const told = await tell('subscribeToList', 'POST', '/lists/1/webhook', { webhook: { target_url, event: 'winner' } });
  await tell('subscribeToAccount', 'POST', '/webhooks', { webhook: { target_url, event: 'new_recording' } });
  await tell('subscribeToAccount', 'POST', '/webhooks', { webhook: { target_url, event: 'winner' } });
  await tell('listWebhooks', 'GET', '/webhooks');
  await tell('removeWebhook', 'DELETE', `/webhook/${told.id}`);
  await tell('removeWebhook', 'DELETE', `/webhook/${told.id}`);
  await client(ACCOUNT_KEY)('DELETE', `/webhook/${told.id + 1}`);

  const page = await enterPages(address);
  await page('POST', '/leads/1/merge', { duplicate_id: 4 });
  await tell('getLead', 'GET', '/leads/4');
  await tell('markWinner', 'POST', '/leads/4/winner');
  await act(page, subscriber);
  await tell('listCalls', 'GET', '/calls?list=1&disposition=normal');
  await tell('listCalls', 'GET', '/calls?since=yesterday');
  await tell('getCall', 'GET', '/calls/1');

  const agent = by(client(await keyOf(address, page, ann.id)));
  await agent('updateLead', 'PATCH', '/leads/1', { lead: { first_name: 'Ima' } });
  await agent('createList', 'POST', '/lists', { list: { name: 'Mine' } });
  await agent('createLead', 'POST', '/lists/1/leads', { lead: { company_name: 'Acme', renewal: 'soon' } });
  await agent('createLead', 'POST', '/lists/1/leads', '{"lead":');
  await agent('createLead', 'POST', '/lists/1/leads', `{"lead":{"company_name":"${'x'.repeat(1_100_000)}"}}`);
  await agent('createLead', 'POST', '/lists/1/leads', 'lead: {}', { 'content-type': 'application/yaml' });
  await by(client('unknown'))('listLists', 'GET', '/lists');
  while (!answers.listLists![429]) await agent('listLists', 'GET', '/lists');
}

/** What people do in the web application, so that each event is told of once. */
async function act(page: Ask, subscriber: Subscriber): Promise<void> {
  for (const event of WEBHOOK_EVENTS)
    await page('POST', '/lists/1/webhook', { webhook: { target_url: `${subscriber.url}/${event}`, event } });
  const step = async (event: string, ...[method, path, body]: Parameters<Ask>) => {
    await page(method, path, body);
    await subscriber.wait(event);
  };
  await step('lead_created', 'POST', '/lists/1/leads', {
    lead: { company_name: 'Dawn Dairy', work_phone: '+44 20 7946 0211' },
  });
  await step('lead_updated', 'PATCH', '/leads/5', { lead: { first_name: 'Dee' } });
  await step('new_comment', 'POST', '/leads/5/comments', { comment: 'Ring twice' });
  await step('text', 'POST', '/leads/5/texts', { text: { body: 'We will call at ten.' } });
  await step('inbound_text', 'POST', '/simulate', { kind: 'inbound_text', from: '+442079460211', body: 'Fine' });
  await page('POST', '/calls', { call: { lead_id: 5 } });
  await subscriber.wait('new_recording');
  await step('winner', 'POST', '/leads/5/winner', { lead: { category: 'Order', comment: 'Two of them' } });
  for (const event of ['call_back', 'loser', 'archive']) await step(event, 'POST', `/leads/5/${event}`);
  for (const event of ['new_call', 'new_event']) await subscriber.wait(event);
}

function toExample(path: string, body: Body | undefined, answer: Answer): Examples[string][string] {
  const headers = Object.keys(HEADERS).flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, steadyHeader(name, value)]];
  });
  return {
    path,
    ...(body && { body }),
    headers: Object.fromEntries(headers),
    ...(answer.body !== '' && { answer: steady(answer.body) }),
  };
}
