import { Type } from 'typebox';
import type { Demand } from '../../../contract/roles.ts';
import { KeyFacts, KeyReplacement, KeyRequest, KeyShown, KeyUse } from '../../../contract/keys.ts';
import type { Actor } from '../../platform/actor.ts';
import { route, type Asked, type Route } from '../../platform/route.ts';
import type { House, Reading } from '../../platform/work.ts';
import { confirmPassword, demandProof } from '../sessions/proof.ts';
import { accountKey, describeKey, personalKey, replaceKey, revokeKeys, showKey, type Bearer } from './keys.ts';
import { readUse } from './use.ts';

/** The account's key for its owner, a personal key for everyone. Both are shown and replaced only after the password is given. */
export const keyRoutes = (house: House): Route[] => [
  ...routesOf(house, '/keys/account', "the account's key", 'account.manage', accountKey),
  ...routesOf(house, '/keys/personal', 'your personal key', 'anyone', personalKey),
];

function routesOf(
  { pool, rateLimits }: House,
  path: string,
  name: string,
  right: Demand,
  holderOf: (actor: Actor) => Bearer,
): Route[] {
  const confirm = (reading: Reading, { actor, body }: Asked<typeof KeyRequest>) =>
    confirmPassword(pool, reading, actor, body.password);
  return [
    route({
      method: 'GET',
      path,
      summary: `When ${name} was made and last used`,
      right,
      answer: [200, KeyFacts],
      read: async (reading, { actor }) => ({ status: 200, body: await describeKey(reading, holderOf(actor)) }),
    }),
    route({
      method: 'GET',
      path: `${path}/use`,
      summary: `How much of the rate limits ${name} uses just now`,
      right,
      answer: [200, KeyUse],
      read: async (reading, { actor }) => ({ status: 200, body: await readUse(reading, holderOf(actor), rateLimits) }),
    }),
    route({
      method: 'POST',
      path: `${path}/show`,
      secret: true,
      summary: `Read ${name} again`,
      right,
      body: KeyRequest,
      answer: [200, KeyShown],
      before: confirm,
      async act(work, { actor }, proof) {
        await demandProof(work, actor, proof);
        return { status: 200, body: { key: await showKey(work, actor, holderOf(actor)) } };
      },
    }),
    route({
      method: 'POST',
      path: `${path}/replace`,
      secret: true,
      summary: `Replace ${name}; the old one ends, at once or after a day`,
      right,
      body: KeyReplacement,
      answer: [201, KeyShown],
      before: confirm,
      async act(work, { actor, body }, proof) {
        await demandProof(work, actor, proof);
        return { status: 201, body: { key: await replaceKey(work, actor, holderOf(actor), body.keep_old ?? false) } };
      },
    }),
    route({
      method: 'POST',
      path: `${path}/revoke`,
      secret: true,
      summary: `End ${name} without a new one; replacing makes one again`,
      right,
      body: KeyRequest,
      answer: [204, Type.Null()],
      before: confirm,
      async act(work, { actor }, proof) {
        await demandProof(work, actor, proof);
        await revokeKeys(work, actor, holderOf(actor));
        return { status: 204 };
      },
    }),
  ];
}
