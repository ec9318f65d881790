import { eventually, makeInstallation, startLeadline } from '../../leadline.ts';
import { OWNER, signInAtDoor, type Service } from '../service.ts';
import { askAs, atStart, open, type Look } from './walk.ts';

export async function walkDoor(service: Service, look: Look): Promise<void> {
  const { address, ask, key } = await service.addAccount();
  const page = await open();
  const show = atStart(look, page);
  for (const [path, name] of [
    ['/sign-in', 'sign in'],
    ['/forgotten', 'forgot the password'],
    ['/accept?token=x', 'an invitation that has ended'],
  ]) {
    await page.goto(address + path);
    await show(name!);
  }
  await page.goto(`${address}/sign-in`);
  await page.getByLabel('E-mail').fill(OWNER.email);
  await page.getByLabel('Password').fill('not the right one');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await show('sign in, refused');
  await signInAtDoor(page, address, '/work');
  await page.getByText('Nothing here yet.').waitFor();
  await show('work, an account without a list');
  await ask('POST', '/api/v2/lists', { list: { name: 'My first list' } }, { authorization: `Token "${key}"` });
  await page.getByRole('heading', { name: 'My first list has no leads yet' }).waitFor();
  await show('work, the first list, empty');
  await ask(
    'POST',
    '/api/v2/users',
    { accept_charge_upon_invitation_acceptance: '1', user: { email: 'ann@example.com', first_name: 'Ann' } },
    { authorization: `Token "${key}"` },
  );
  const mails = (await askAs(page, '/app/outbox')) as { text: string }[];
  const { pathname, search } = new URL(/https?:\/\/\S+/.exec(mails[0]!.text)![0]);
  await page.context().clearCookies();
  await page.goto(address + pathname + search);
  await page.getByLabel('Password').waitFor();
  await show('invitation');

  const bare = await startLeadline({ env: { DATA_DIR: makeInstallation() } });
  const link = await eventually('a link', () => /"link":"([^"]+)"/.exec(bare.output())?.[1]);
  await page.goto(bare.address);
  await show('first run, before');
  await page.goto(bare.address + new URL(link).pathname + new URL(link).search);
  await page.getByLabel('Account name').waitFor();
  await show('first run');
  await page.close();
  await bare.stop();
}
