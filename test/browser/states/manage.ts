import { furnish, type Service } from '../service.ts';
import { atStart, leave, type Look, open } from './walk.ts';

export async function walkManage(service: Service, look: Look): Promise<void> {
  const { api, list, address, signIn } = await furnish(service);
  const listing_ids = [list.id];
  for (const [first_name, last_name] of [
    ['Priya', 'Nair'],
    ['Maximiliane', 'Oberhauser-Schwarzenberger'],
  ]) {
    const email = `${first_name}.${last_name}@halyard-energy.example`.toLowerCase();
    await api('POST', '/users', {
      accept_charge_upon_invitation_acceptance: '1',
      user: { email, first_name, last_name, listing_ids, supervisor: true },
    });
  }
  const page = await open();
  const show = atStart(look, page);
  await signIn(page, '/manage/users');
  await page.getByText('Maximiliane').first().waitFor();
  await show('users');
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await show('users, menu open');
  await page.getByRole('menuitem', { name: 'Change roles and lists' }).click();
  await page.getByRole('dialog').waitFor();
  await show('users, changing one');
  await leave(page);
  await page.getByRole('button', { name: 'Invite someone' }).click();
  await page.getByRole('dialog').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: /invit/i }).click();
  await show('users, inviting');
  for (const title of ['Subscription', 'Account', 'Integrations', 'Outbox']) {
    const name = title.toLowerCase();
    await page.goto(`${address}/manage/${name}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.waitForLoadState('networkidle');
    await show(name);
  }
  await page.locator('.row-button').first().click();
  await show('outbox, mails closed');
  await page.goto(`${address}/manage/account`);
  await page.getByLabel('Name', { exact: true }).fill('Donaudampfschifffahrtsgesellschaft');
  await show('account, changed');
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('dialog').waitFor();
  await show('account, leaving');
  for (const [button, name] of [
    ['Subscribe', 'integrations, subscribing'],
    ['Show', 'integrations, showing the key'],
    ['Replace', 'integrations, replacing the key'],
  ] as const) {
    await page.goto(`${address}/manage/integrations`);
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await page.getByRole('dialog').waitFor();
    await show(name);
  }
  await page.goto(`${address}/manage/integrations`);
  await page.getByRole('button', { name: /^winner/ }).click();
  await page.getByRole('dialog', { name: 'Delivery log' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await show('integrations, log open');
  await page.goto(`${address}/preferences/credentials`);
  await page.getByRole('heading', { level: 1, name: 'Credentials' }).waitFor();
  await page.waitForLoadState('networkidle');
  await show('preferences');
  await page.close();
}
