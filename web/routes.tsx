import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { scopeOf } from '../contract/roles.ts';
import { readSearch, writeSearch } from './addresses.ts';
import { queries } from './api.ts';
import { Frame } from './frame/frame.tsx';
import { paths } from '../contract/paths.ts';
import { manageOf, seesAllLists, sessionQuery } from './session.ts';
import { Failure, Loading } from './ui/parts.tsx';
import { loadWithKit } from './ui/with-kit.tsx';
import { openDesk } from './work/queries.ts';
import { WorkPage } from './work/work-page.tsx';
import { Missing } from './ui/missing.tsx';

const root = createRootRoute({
  component: Frame,
  notFoundComponent: Missing,
  // A loader, so that what a page needs is asked for side by side with it.
  loader: () => queries.ensureQueryData(sessionQuery),
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const { user } = await queries.ensureQueryData(sessionQuery);
    if (scopeOf(user, 'queue.work')) throw redirect({ to: paths.work });
    if (seesAllLists(user)) throw redirect({ to: paths.lists });
    throw redirect({ to: scopeOf(user, 'users.read') ? paths.users : paths.credentials });
  },
});

/** An address without its last part leads to what the role may open there. */
const manage = createRoute({
  getParentRoute: () => root,
  path: paths.manage,
  beforeLoad: async () => {
    const { user } = await queries.ensureQueryData(sessionQuery);
    throw redirect({ to: manageOf(user) ?? paths.integrations });
  },
});
const preferences = createRoute({
  getParentRoute: () => root,
  path: paths.preferences,
  beforeLoad: () => {
    throw redirect({ to: paths.credentials });
  },
});

/** Part of the first script, as most come for it. To point at its link asks for nothing: a lead would be given. */
const work = createRoute({
  getParentRoute: () => root,
  path: paths.work,
  component: WorkPage,
  loader: { handler: openDesk, staleReloadMode: 'blocking' },
  preload: false,
});

/** A list: its frame stays while one goes from one part of it to another. */
const list = createRoute({
  getParentRoute: () => root,
  path: `${paths.lists}/$id`,
  component: lazyRouteComponent(() => loadWithKit(async () => (await import('./lists/list-page.tsx')).ListPage)),
});
const overview = createRoute({
  getParentRoute: () => list,
  path: '/',
  component: lazyRouteComponent(() => import('./lists/list-page.tsx'), 'OverviewPage'),
});
const settings = createRoute({
  getParentRoute: () => list,
  path: 'settings/$part',
  component: lazyRouteComponent(() => import('./lists/settings-page.tsx'), 'SettingsPage'),
});
const leadsOfList = createRoute({
  getParentRoute: () => list,
  path: 'leads',
  component: lazyRouteComponent(() => import('./leads/table/leads-page.tsx'), 'Leads'),
});
const newList = createRoute({
  getParentRoute: () => root,
  path: paths.newList,
  component: lazyRouteComponent(() => loadWithKit(async () => (await import('./lists/new-list-page.tsx')).NewListPage)),
  // The list that it is to be like.
  validateSearch: ({ from }: Record<string, unknown>): { from?: number } =>
    Number(from) > 0 ? { from: Number(from) } : {},
});

const newImport = createRoute({
  getParentRoute: () => root,
  path: paths.newImport,
  component: lazyRouteComponent(() =>
    loadWithKit(async () => (await import('./imports/new-import-page.tsx')).NewImportPage),
  ),
  // Into which list.
  validateSearch: ({ list: into }: Record<string, unknown>): { list?: number } =>
    Number(into) > 0 ? { list: Number(into) } : {},
});
const imports = createRoute({
  getParentRoute: () => root,
  path: paths.imports,
  component: lazyRouteComponent(() =>
    loadWithKit(async () => (await import('./imports/history-page.tsx')).HistoryPage),
  ),
  // Of one list alone.
  validateSearch: ({ list: of }: Record<string, unknown>): { list?: number } =>
    Number(of) > 0 ? { list: Number(of) } : {},
});

const page = <Path extends string>(path: Path, load: () => Promise<ComponentType>) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(() => loadWithKit(load)) });

const pages = [
  page(paths.leads, async () => (await import('./leads/table/leads-page.tsx')).LeadsPage),
  page(paths.deletedLeads, async () => (await import('./leads/deleted-leads.tsx')).DeletedLeadsPage),
  page(`${paths.leads}/$id` as const, async () => (await import('./leads/lead-page.tsx')).LeadPage),
  page(paths.lists, async () => (await import('./lists/lists-page.tsx')).ListsPage),
  page(`${paths.imports}/$id` as const, async () => (await import('./imports/import-page.tsx')).ImportPage),
  page(paths.users, async () => (await import('./manage/users-page.tsx')).UsersPage),
  page(paths.subscription, async () => (await import('./manage/subscription-page.tsx')).SubscriptionPage),
  page(paths.account, async () => (await import('./manage/account-page.tsx')).AccountPage),
  page(paths.integrations, async () => (await import('./manage/integrations-page.tsx')).IntegrationsPage),
  page(paths.outbox, async () => (await import('./manage/outbox-page.tsx')).OutboxPage),
  page(paths.credentials, async () => (await import('./preferences/credentials-page.tsx')).CredentialsPage),
];

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    manage,
    preferences,
    work,
    newList,
    newImport,
    imports,
    list.addChildren([overview, leadsOfList, settings]),
    ...pages,
  ]),
  parseSearch: readSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  // Mostly a part of the page that an upgrade has taken away.
  defaultErrorComponent: ({ error }) => <Failure error={error as Error} again={() => location.reload()} />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
