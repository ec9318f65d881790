import { TextInput } from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ListProgress } from '../../contract/list-pages.ts';
import { paths } from '../../contract/paths.ts';
import { sayCount } from '../counts.ts';
import { ImportButton } from '../importing.tsx';
import { seesAllLists, useRight, useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { GuardedButton } from '../ui/guarded.tsx';
import { Empty, Failure, useLate } from '../ui/parts.tsx';
import { Missing } from '../ui/missing.tsx';
import { Tab, Tabs } from '../ui/tabs.tsx';
import { useTitle } from '../ui/title.ts';
import { DeletedLists } from './deleted-lists.tsx';
import { WHO_CHANGES } from './list-acts.tsx';
import { ListTable } from './list-table.tsx';
import { deletedQuery, progressQuery, sayLeads } from './queries.ts';
import '../ui/page.css';
import '../ui/panel.css';
import './lists-page.css';

type Shown = 'current' | 'archived' | 'deleted';

/** Every campaign, and how it stands. */
export function ListsPage() {
  const { user } = useSession();
  useTitle('Lists');
  return seesAllLists(user) ? <Lists /> : <Missing />;
}

function Lists() {
  const writes = useRight('lists.write');
  const imports = useRight('leads.import');
  const { data, error, refetch } = useQuery(progressQuery);
  const deleted = useQuery({ ...deletedQuery, enabled: writes }).data ?? [];
  const [typed, setTyped] = useState('');
  const [chosen, choose] = useState<Shown>('current');
  const current = data?.filter(({ archived }) => !archived) ?? [];
  const archived = data?.filter((list) => list.archived) ?? [];
  // The last one of them may have gone meanwhile.
  const isThere = { current: true, archived: archived.length > 0, deleted: deleted.length > 0 };
  const shown = isThere[chosen] ? chosen : 'current';
  const wanted = typed.trim().toLowerCase();
  const fits = ({ name, purpose = '' }: { name: string; purpose?: string }) =>
    `${name} ${purpose}`.toLowerCase().includes(wanted);
  const found = (shown === 'archived' ? archived : current).filter(fits);
  const leads = current.reduce((sum, { leads_count }) => sum + leads_count, 0);
  return (
    <div className="page lists-page">
      <div className="page-head">
        <h1>Lists</h1>
        <span className="meta grow">
          {data && data.length > 0 && `${sayCount(current.length, 'list')}, ${sayLeads(leads)}`}
          {imports && (
            <Link to={paths.imports} className="link lists-imports">
              Imports
            </Link>
          )}
        </span>
        <TextInput
          className="find-list"
          aria-label="Find a list"
          placeholder="Find a list"
          type="search"
          leftSection={<IconSearch size={16} stroke={1.75} aria-hidden />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <ImportButton />
        <NewList />
      </div>
      {(isThere.archived || isThere.deleted) && (
        <Tabs legend="Which lists">
          <Tab pressed={shown === 'current'} onClick={() => choose('current')}>
            Lists
          </Tab>
          {isThere.archived && (
            <Tab pressed={shown === 'archived'} onClick={() => choose('archived')}>
              Archived ({archived.length})
            </Tab>
          )}
          {isThere.deleted && (
            <Tab pressed={shown === 'deleted'} onClick={() => choose('deleted')}>
              Deleted ({deleted.length})
            </Tab>
          )}
        </Tabs>
      )}
      <section className="panel flush" aria-label="Lists">
        {!data && (error ? <Failure error={error} again={() => void refetch()} /> : <Coming />)}
        {data && shown === 'deleted' && <DeletedLists lists={deleted.filter(fits)} />}
        {data && shown !== 'deleted' && found.length > 0 && <ListTable key={`${shown} ${wanted}`} lists={found} />}
        {data && shown !== 'deleted' && found.length === 0 && (
          <Nothing all={shown === 'archived' ? archived : current} showAll={() => setTyped('')} />
        )}
      </section>
      {found.length > 0 && shown !== 'deleted' && (
        <p className="meta lists-foot">Conversion is won out of won and lost.</p>
      )}
    </div>
  );
}

function NewList({ variant = 'filled' }: { variant?: 'filled' | 'default' }) {
  const writes = useRight('lists.write');
  const navigate = useNavigate();
  return (
    <GuardedButton
      variant={variant}
      may={writes}
      who="Data managers and owners make lists."
      leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
      onClick={() => void navigate({ to: paths.newList })}
    >
      New list
    </GuardedButton>
  );
}

function Nothing({ all, showAll }: { all: ListProgress[]; showAll: () => void }) {
  const writes = useRight('lists.write');
  if (all.length > 0)
    return (
      <Empty
        title="No list of that name."
        action={
          <Button variant="default" onClick={showAll}>
            Show all
          </Button>
        }
      >
        Look for another part of its name, or of what it is for.
      </Empty>
    );
  return (
    <Empty
      title="There is no list yet."
      action={
        <div className="empty-acts">
          <ImportButton variant="filled">Upload a file with leads</ImportButton>
          <NewList variant="default" />
        </div>
      }
    >
      {writes
        ? 'A list holds the leads of one campaign: their fields, the script, what can come of a call, and who calls. A file with leads makes one of its own.'
        : WHO_CHANGES}
    </Empty>
  );
}

/** Nothing for a moment, then rows as high as the real ones. */
function Coming() {
  if (!useLate(150)) return null;
  return (
    <div className="lists-coming" aria-busy>
      {Array.from({ length: 5 }, (_, row) => (
        <div key={row}>
          <span />
          <span />
        </div>
      ))}
    </div>
  );
}
