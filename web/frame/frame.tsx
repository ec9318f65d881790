import {
  IconDeviceDesktop,
  IconHeadset,
  IconKeyboard,
  IconLogout,
  IconMenu2,
  IconMoonStars,
  IconSettings,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { spotlight } from '@mantine/spotlight';
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { useKeys } from '../keys.ts';
import { paths } from '../../contract/paths.ts';
import { nameOf } from '../../contract/names.ts';
import { followScheme, keepScheme, readScheme, watchScheme, type Scheme } from '../scheme.ts';
import { manageOf, signOut, useRight, useSession } from '../session.ts';
import { Menu } from '../ui/menu.tsx';
import { Initials, initialsOf, Loading, Mark, useLate } from '../ui/parts.tsx';
import { withKit } from '../ui/with-kit.tsx';
import './frame.css';

const Late = withKit(async () => (await import('./late.tsx')).Late, null);
const KeysHelp = withKit(async () => (await import('./keys-help.tsx')).KeysHelp);

/** A rail of what the role may open, and the page beside it. */
export function Frame() {
  // Undefined until someone asks for it.
  const [help, setHelp] = useState<boolean>();
  useEffect(followScheme, []);
  // Once the page has been drawn.
  const late = useLate(250);
  const search = () => spotlight.open();
  useKeys({ '?': () => setHelp(true), '/': search, 'Control+k': search, 'Meta+k': search });
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <Rail showKeys={() => setHelp(true)} />
      <main id="main" className="main" tabIndex={-1}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
      <Suspense>
        {late && <Late />}
        {help !== undefined && <KeysHelp opened={help} close={() => setHelp(false)} />}
      </Suspense>
    </div>
  );
}

/** What the role may open. */
function usePlaces() {
  const { user } = useSession();
  return { works: useRight('queue.work'), manage: manageOf(user) };
}

function Rail({ showKeys }: { showKeys: () => void }) {
  const { works, manage } = usePlaces();
  const managing = useLocation({ select: ({ pathname }) => pathname.startsWith(`${paths.manage}/`) });
  return (
    <nav className="rail" aria-label="Main">
      <Link to="/" className="mark" aria-label="Leadline">
        <Mark />
      </Link>
      {works && (
        <Link to={paths.work} className="rail-item">
          <IconHeadset size={20} stroke={1.75} aria-hidden />
          Work
        </Link>
      )}
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
  const { works, manage } = usePlaces();
  const icon = { size: 16, stroke: 1.75, 'aria-hidden': true };
  const go = (to: string) => () => void navigate({ to });
  // Where there is no room for the rail.
  const places = [
    ...(works ? [{ name: 'Work', icon: <IconHeadset {...icon} />, act: go(paths.work) }] : []),
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
            { name: 'Keys', icon: <IconKeyboard {...icon} />, act: showKeys },
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
