import { Tooltip } from '@mantine/core';
import { IconDownload, IconFileSpreadsheet, IconFileTypeCsv, type TablerIcon } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { Export, NewExport } from '../../../contract/exports.ts';
import type { Total } from '../../../contract/lead-table.ts';
import { ask, download } from '../../api.ts';
import { sayCount } from '../../counts.ts';
import { useRight } from '../../session.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { notice, tellFailure } from '../../ui/notices.ts';
import { useChosen } from '../bulk/chosen.ts';
import { meantBy, type Asking } from './asked.ts';
import './export-menu.css';

type Kind = { name: string; icon: TablerIcon; as: Pick<NewExport, 'format' | 'bom'> };

const KINDS: Kind[] = [
  { name: 'CSV', icon: IconFileTypeCsv, as: { format: 'csv' } },
  { name: 'CSV for Excel', icon: IconFileTypeCsv, as: { format: 'csv', bom: true } },
  { name: 'Workbook (.xlsx)', icon: IconFileSpreadsheet, as: { format: 'xlsx' } },
];

type Props = {
  asked: Asking;
  /** Names of those that are shown. */
  columns: string[];
  /** How many match, once that is known. */
  total: Total | undefined;
};

/** Leads as a file: those that are chosen or, where none is, all that the table shows. */
export function ExportMenu({ asked, columns, total }: Props) {
  const may = useRight('leads.export');
  const { which, count } = useChosen();
  const isChosen = count.number > 0;
  const about = isChosen ? count : total;
  const said = about && `${about.about ? 'about ' : ''}${sayCount(about.number, isChosen ? 'selected lead' : 'lead')}`;
  const asking = useMutation({
    mutationFn: (as: Partial<NewExport> & Pick<NewExport, 'format'>) =>
      ask<Export>('POST', '/exports', {
        export: { ...(isChosen ? which : { matching: meantBy(asked) }), order: asked.order, ...as },
      }),
    onSuccess: ({ id }) => {
      download(`/exports/${id}`);
      notice(`The browser is downloading ${said ?? 'them'}.`);
    },
    onError: tellFailure,
  });
  if (!may)
    return (
      <Tooltip label="Data managers and owners export leads." events={{ hover: true, focus: true, touch: true }}>
        <IconButton label="Export" className="export-refused" aria-disabled>
          <IconDownload size={18} stroke={1.75} aria-hidden />
        </IconButton>
      </Tooltip>
    );
  const reason = !about ? 'As soon as the table shows them.' : about.number === 0 ? 'There is no lead.' : undefined;
  const itemsOf = (what: string, more: Pick<NewExport, 'columns'>) =>
    KINDS.map(({ name, icon: Icon, as }) => ({
      name: `${name}, ${what}`,
      icon: <Icon size={16} stroke={1.75} aria-hidden />,
      reason,
      act: () => asking.mutate({ ...as, ...more }),
    }));
  return (
    <Menu
      place="below-end"
      className="icon-button"
      label="Export"
      aria-label={isChosen ? `Export ${said}` : 'Export'}
      title="Export"
      aria-busy={asking.isPending}
      groups={[
        { title: said && `Export ${said}`, items: itemsOf('these columns', { columns }) },
        { items: itemsOf('everything', {}) },
      ]}
    >
      <IconDownload size={18} stroke={1.75} aria-hidden />
    </Menu>
  );
}
