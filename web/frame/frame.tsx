import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconHeadset,
  IconKeyboard,
  IconLogout,
  IconMenu2,
  IconMoonStars,
  IconSettings,
  IconUserCircle,
} from '@tabler/icons-react';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { spotlight } from '@mantine/spotlight';
import { lazy, Suspense, useState } from 'react';
import { useKeys } from '../keys.ts';
import { paths } from '../paths.ts';
import { nameOf } from '../../contract/names.ts';
import { signOut, useRight, useSession } from '../session.ts';
import { Initials, initialsOf, Loading, Mark, useLate } from '../ui/parts.tsx';

const Late = lazy(async () => ({ default: (await import('./late.tsx')).Late }));
const KeysHelp = lazy(async () => ({ default: (await import('./keys-help.tsx')).KeysHelp }));

/** A rail of what the role may open, and the page beside it. */
export function Frame() {
  // Undefined until someone asks for it.
  const [help, setHelp] = useState<boolean>();
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
  const works = useRight('queue.work');
  const manages = useRight('users.read');
  const hooks = useRight('webhooks.manage');
  return { works, manage: manages ? paths.users : hooks ? paths.integrations : undefined };
}

function Rail({ showKeys }: { showKeys: () => void }) {
  const { works, manage } = usePlaces();
  const managing = useLocation({ select: ({ pathname }) => pathname.startsWith('/manage/') });
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

const SCHEMES = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const;

function Own({ showKeys }: { showKeys: () => void }) {
  const { user, account } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const navigate = useNavigate();
  const { works, manage } = usePlaces();
  return (
    <Menu position="right-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={`${initialsOf(nameOf(user))}, ${nameOf(user)}: menu`} className="own">
          <Initials name={nameOf(user)} />
          <IconMenu2 size={20} stroke={1.75} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {nameOf(user)} · {account.name}
        </Menu.Label>
        {/* Where there is no room for the rail. */}
        {works && (
          <Menu.Item
            className="narrow-only"
            leftSection={<IconHeadset size={16} />}
            onClick={() => void navigate({ to: paths.work })}
          >
            Work
          </Menu.Item>
        )}
        {manage && (
          <Menu.Item
            className="narrow-only"
            leftSection={<IconSettings size={16} />}
            onClick={() => void navigate({ to: manage })}
          >
            Manage
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconUserCircle size={16} />} onClick={() => void navigate({ to: paths.credentials })}>
          Preferences
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={16} />} onClick={showKeys}>
          Keys
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        {Object.entries(SCHEMES).map(([scheme, word]) => (
          <Menu.Item
            key={scheme}
            leftSection={<IconMoonStars size={16} />}
            aria-current={colorScheme === scheme}
            onClick={() => setColorScheme(scheme as keyof typeof SCHEMES)}
            {...(colorScheme === scheme && { fw: 600 })}
          >
            {word}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
