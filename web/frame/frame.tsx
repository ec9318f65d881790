import {
  IconCloudOff,
  IconDeviceDesktop,
  IconHeadset,
  IconKeyboard,
  IconLogout,
  IconMenu2,
  IconMoonStars,
  IconSettings,
  IconStack2,
  IconSun,
  IconUserCircle,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { followFocus, useKeys } from '../keys.ts';
import { LineProvider, useOwnLine } from '../line.ts';
import { listsQuery } from '../lists.ts';
import { useTelephone } from '../phone/use-phone.ts';
import { useConnected, useLive } from '../live.ts';
import { paths } from '../../contract/paths.ts';
import { nameOf } from '../../contract/names.ts';
import { hearSearch, openNearest, search } from '../search.ts';
import { followScheme, keepScheme, readScheme, watchScheme, type Scheme } from '../scheme.ts';
import { manageOf, seesAllLeads, seesAllLists, signOut, useRight, useSession } from '../session.ts';
import { Menu } from '../ui/menu.tsx';
import { NotLoaded } from '../ui/not-loaded.tsx';
import { Initials, initialsOf, Loading, Mark, useLasting, useLate } from '../ui/parts.tsx';
import { withKit } from '../ui/with-kit.tsx';
import './frame.css';

const CALL_BAR_MISSING = (
  <NotLoaded>Your call goes on, but its buttons could not be loaded. They are at the desk.</NotLoaded>
);
const INCOMING_MISSING = (
  <NotLoaded isOver>Someone calls you, but it could not be shown. Answer at the desk.</NotLoaded>
);
const LATE_MISSING = <NotLoaded>Notices and search could not be loaded.</NotLoaded>;

const CallBar = withKit(async () => (await import('./call-bar.tsx')).CallBar, CALL_BAR_MISSING);
const Incoming = withKit(async () => (await import('./incoming.tsx')).Incoming, INCOMING_MISSING);
const PassedOn = withKit(async () => (await import('../phone/passed-on.tsx')).PassedOn, null);
const Late = withKit(async () => (await import('./late.tsx')).Late, LATE_MISSING);
const KeysHelp = withKit(async () => (await import('./keys-help.tsx')).KeysHelp);

/** A rail of what the role may open, and the page beside it. */
export function Frame() {
  // Undefined until someone asks for it.
  const [help, setHelp] = useState<boolean>();
  useEffect(followScheme, []);
  useEffect(hearSearch, []);
  useEffect(followFocus, []);
  // Once the page has been drawn.
  const late = useLate(250);
  useKeys({ '?': () => setHelp(true), '/': openNearest, 'Control+k': search.open, 'Meta+k': search.open });
  const atDesk = useLocation({ select: ({ pathname }) => pathname === paths.work });
  useLive(useListsShown());
  const line = useOwnLine();
  const { call, isBegunHere } = line;
  const before = line.wrappingUp;
  useTelephone(
    call && line.isTalking && (line.hasSound || isBegunHere) ? { id: call.id, isBegunHere } : undefined,
    before !== null && before.ended_by !== 'agent' && before.disposition !== 'normal',
  );
  // On the desk a softphone shows the call, as soon as a lead is open or the queue is empty.
  const isShown = useLasting(line.softphones > 0 ? undefined : true, atDesk ? 1_500 : 0) === undefined;
  return (
    <LineProvider value={line}>
      <div className="shell">
        <a className="skip-link" href="#main">
          Skip to the page
        </a>
        <Rail showKeys={() => setHelp(true)} isTalking={line.isTalking} atDesk={atDesk} />
        <main id="main" className="main" tabIndex={-1}>
          <Suspense>{!isShown && (line.isTalking || line.wrappingUp) && <CallBar />}</Suspense>
          <Suspense>{late && <Late />}</Suspense>
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </main>
        <Suspense>
          {line.ringing && <Incoming call={line.ringing} shown={!isShown} />}
          {line.passedOn && <PassedOn passedOn={line.passedOn} isTalking={line.isTalking} />}
          {help !== undefined && <KeysHelp opened={help} close={() => setHelp(false)} />}
        </Suspense>
      </div>
    </LineProvider>
  );
}

/** The lists that the page shows something of: all, one, or none. */
function useListsShown(): number[] {
  const shown = useLocation({
    select: ({ pathname }) =>
      pathname === paths.work || pathname === paths.lists ? 'all' : (/^\/lists\/(\d+)/.exec(pathname)?.[1] ?? ''),
  });
  const { data: lists } = useQuery({ ...listsQuery, enabled: shown === 'all' });
  if (shown !== 'all') return shown === '' ? [] : [Number(shown)];
  return lists?.filter(({ archived }) => !archived).map(({ id }) => id) ?? [];
}

/** What the role may open. */
function usePlaces() {
  const { user } = useSession();
  return {
    works: useRight('queue.work'),
    leads: seesAllLeads(user),
    lists: seesAllLists(user),
    manage: manageOf(user),
  };
}

type RailProps = { showKeys: () => void; isTalking: boolean; atDesk: boolean };

function Rail({ showKeys, isTalking, atDesk }: RailProps) {
  const connected = useConnected();
  const { works, leads, lists, manage } = usePlaces();
  const managing = useLocation({ select: ({ pathname }) => pathname.startsWith(`${paths.manage}/`) });
  // They are about lists, whatever their address.
  const importing = useLocation({ select: ({ pathname }) => pathname.startsWith(paths.imports) });
  return (
    <nav className="rail" aria-label="Main">
      <Link to="/" className="mark" aria-label="Leadline">
        <Mark />
      </Link>
      {works && (
        <Link to={paths.work} className="rail-item">
          <IconHeadset size={20} stroke={1.75} aria-hidden />
          Work
          {isTalking && <span className="dot calling" role="img" aria-label="In a call" />}
        </Link>
      )}
      {leads && (
        <Link to={paths.leads} className="rail-item">
          <IconUsers size={20} stroke={1.75} aria-hidden />
          Leads
        </Link>
      )}
      {lists && (
        <Link to={paths.lists} className={importing ? 'rail-item active' : 'rail-item'}>
          <IconStack2 size={20} stroke={1.75} aria-hidden />
          Lists
        </Link>
      )}
      {/* The strip of the desk says so itself. */}
      <div className="rail-state" aria-live="polite">
        {!connected && !atDesk && (
          <span className="rail-item" title="The service does not answer. What is shown may be old.">
            <IconCloudOff size={20} stroke={1.75} aria-hidden />
            Offline
          </span>
        )}
      </div>
      <span className="grow" />
      {manage && (
        <Link to={manage} className={managing ? 'rail-item active' : 'rail-item'}>
          <IconSettings size={20} stroke={1.75} aria-hidden />
          Manage
        </Link>
      )}
      <Own showKeys={showKeys} />
    </nav>
  );
}

const SCHEMES = {
  auto: { name: 'As the system', icon: IconDeviceDesktop },
  light: { name: 'Light', icon: IconSun },
  dark: { name: 'Dark', icon: IconMoonStars },
} as const;

function Own({ showKeys }: { showKeys: () => void }) {
  const { user, account } = useSession();
  const kept = useSyncExternalStore(watchScheme, readScheme);
  const navigate = useNavigate();
  const { works, leads, lists, manage } = usePlaces();
  const icon = { size: 16, stroke: 1.75, 'aria-hidden': true };
  const go = (to: string) => () => void navigate({ to });
  // Where there is no room for the rail.
  const places = [
    ...(works ? [{ name: 'Work', icon: <IconHeadset {...icon} />, act: go(paths.work) }] : []),
    ...(leads ? [{ name: 'Leads', icon: <IconUsers {...icon} />, act: go(paths.leads) }] : []),
    ...(lists ? [{ name: 'Lists', icon: <IconStack2 {...icon} />, act: go(paths.lists) }] : []),
    ...(manage ? [{ name: 'Manage', icon: <IconSettings {...icon} />, act: go(manage) }] : []),
  ].map((item) => ({ ...item, className: 'narrow-only' }));
  return (
    <Menu
      place="beside-end"
      className="own"
      aria-label={`${initialsOf(nameOf(user))}, ${nameOf(user)}: menu`}
      label="You"
      groups={[
        {
          title: `${nameOf(user)} · ${account.name}`,
          items: [
            ...places,
            { name: 'Preferences', icon: <IconUserCircle {...icon} />, act: go(paths.credentials) },
            { name: 'Keyboard shortcuts', icon: <IconKeyboard {...icon} />, act: showKeys },
          ],
        },
        {
          title: 'Appearance',
          items: Object.entries(SCHEMES).map(([scheme, { name, icon: Icon }]) => ({
            name,
            icon: <Icon {...icon} />,
            isCurrent: kept === scheme,
            act: () => keepScheme(scheme as Scheme),
          })),
        },
        { items: [{ name: 'Sign out', icon: <IconLogout {...icon} />, act: () => void signOut() }] },
      ]}
    >
      <Initials name={nameOf(user)} />
      <IconMenu2 size={20} stroke={1.75} aria-hidden />
    </Menu>
  );
}
