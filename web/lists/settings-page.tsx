import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { listQuery } from './queries.ts';
import { Settings } from './settings/settings.tsx';

export function SettingsPage() {
  const { id = '', part = '' } = useParams({ strict: false });
  const { data: list } = useQuery(listQuery(Number(id)));
  return list && <Settings list={list} part={part} />;
}
