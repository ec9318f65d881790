import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { Session as SessionRow } from '../../contract/sessions.ts';
import { ask, get, queries } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { Failure, Loading, Time, Ago } from '../ui/parts.tsx';
import { nameBrowser } from './browsers.ts';
import { Fault } from '../ui/form.tsx';
import { Panel } from '../ui/panel.tsx';
import { sayWhenWithin } from '../times.ts';
import { Tag } from '../ui/states.tsx';
import '../ui/rows.css';

type Entered = Static<typeof SessionRow>;

const refresh = () => queries.invalidateQueries({ queryKey: ['sessions'] });

/** Where one is signed in. */
export function SessionsPanel() {
  const { data, error, refetch } = useQuery({ queryKey: ['sessions'], queryFn: () => get<Entered[]>('/sessions') });
  const others = (data ?? []).filter(({ current }) => !current);
  const ending = useMutation({
    mutationFn: async () => {
      for (const { id } of others) await ask('DELETE', `/sessions/${id}`);
    },
    onSettled: refresh,
  });
  const endOthers = others.length > 1 && (
    <Button variant="default" loading={ending.isPending} onClick={() => ending.mutate()}>
      End the {others.length} others
    </Button>
  );
  return (
    <Panel title="Sessions" aside="where you are signed in" action={endOthers} flush>
      {!data && (error ? <Failure error={error} again={() => void refetch()} /> : <Loading rows={3} />)}
      <Fault error={ending.error} />
      {data && (
        <ul className="rows">
          {data
            .toSorted((a, b) => Number(b.current) - Number(a.current))
            .map((session) => (
              <SessionRowItem key={session.id} session={session} />
            ))}
        </ul>
      )}
    </Panel>
  );
}

function SessionRowItem({ session }: { session: Entered }) {
  const { id, browser, address, created_at, seen_at, current } = session;
  const { name, mobile } = nameBrowser(browser);
  const Icon = mobile ? IconDeviceMobile : IconDeviceDesktop;
  const ending = useMutation({ mutationFn: () => ask('DELETE', `/sessions/${id}`), onSettled: refresh });
  return (
    <li className="row">
      <Icon size={20} stroke={1.75} aria-hidden />
      <div className="grow">
        <p className="strong wrap" title={browser}>
          {name}
        </p>
        <p className="meta wrap">
          {address}, since <Time at={created_at} say={sayWhenWithin} />
          {!current && (
            <>
              , seen <Ago at={seen_at} />
            </>
          )}
        </p>
        <Fault error={ending.error} />
      </div>
      {current ? (
        <Tag>This one</Tag>
      ) : (
        <Button
          variant="default"
          aria-label={`End the session of ${name}`}
          loading={ending.isPending}
          onClick={() => ending.mutate()}
        >
          End
        </Button>
      )}
    </li>
  );
}
