import { Type } from 'typebox';
import { route, type Route } from '../platform/route.ts';
import { wantDemo } from './demo.ts';

export const demoRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/demo',
    summary: 'Fill an account without lists with a demo call centre',
    right: 'account.manage',
    answer: [202, Type.Null()],
    async act(work, { actor }) {
      await wantDemo(work, actor);
      return { status: 202, json: 'null' };
    },
  }),
];
