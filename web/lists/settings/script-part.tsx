import { IconBold, IconBraces, IconHeading, IconList, type TablerIcon } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { Field, ListWithSettings } from '../../../contract/list-pages.ts';
import { ScriptText, useScript } from '../../leads/script-text.tsx';
import { LeaveDialog } from '../../manage/leave-dialog.tsx';
import { Button, IconButton, TextButton } from '../../ui/button.tsx';
import { Fault } from '../../ui/form.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Empty, Key } from '../../ui/parts.tsx';
import { useListChange } from '../change-list.ts';
import { fieldsQuery } from '../queries.ts';
import { useMayChange } from './changing.ts';
import { Beside, Part } from './part.tsx';
import { Sample } from './sample.tsx';
import { ScriptClash } from './script-clash.tsx';
import { LONGEST_SCRIPT, useScriptDraft } from './script-draft.ts';
import { findStrayTags, putTag, replaceTag, wrapChosen } from './script-tags.ts';
import './script-part.css';

/** What is typed is read once there is a pause. */
const PAUSE_MS = 250;

export function ScriptPart({ list }: { list: ListWithSettings }) {
  const may = useMayChange();
  const { data: fields } = useQuery(fieldsQuery(list.id));
  const { text, seen, write, begin, follow } = useScriptDraft(list);
  const area = useRef<HTMLTextAreaElement>(null);
  const settled = usePaused(text, PAUSE_MS);
  const saving = useListChange(list, follow);
  const isTooLong = text.length > LONGEST_SCRIPT;
  const isChanged = text !== list.description;
  // Someone else has saved one meanwhile.
  const isBehind = isChanged && seen !== (list.versions.script ?? 0);
  const save = () => {
    if (isChanged && !isTooLong && !isBehind && !saving.isPending && may)
      saving.save({ description: text }, { ...list.versions, script: seen });
  };
  const hear = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    save();
  };
  const keys = fields?.fields.map(({ key }) => key);
  return (
    <>
      <Part
        title="Script"
        aside="Markdown; headings become tabs at the desk"
        action={
          isChanged &&
          may && (
            <>
              <Button
                variant="default"
                onClick={() => {
                  begin(list);
                }}
              >
                Discard
              </Button>
              <Button
                disabled={isTooLong || isBehind}
                loading={saving.isPending}
                rightSection={<Key>Ctrl S</Key>}
                onClick={save}
              >
                Save
              </Button>
            </>
          )
        }
      >
        <Toolbar area={area} fields={fields?.fields ?? []} />
        {isBehind && (
          <ScriptClash
            theirs={list.description}
            mine={text}
            takeTheirs={() => begin(list)}
            keepMine={() => saving.save({ description: text }, list.versions)}
            isPending={saving.isPending}
            why={saving.clash?.message}
          />
        )}
        <textarea
          ref={area}
          className="script-area"
          aria-label="Script"
          aria-invalid={isTooLong}
          readOnly={!may}
          spellCheck
          value={text}
          onChange={(event) => write(event.currentTarget.value)}
          onKeyDown={hear}
        />
        <div className="script-foot">
          {isTooLong ? (
            <p className="fault" role="alert">
              A script has {LONGEST_SCRIPT.toLocaleString()} characters at most. Take {over(text)} away, and it can be
              saved. What you wrote is still here.
            </p>
          ) : (
            <p className="meta" role="status">
              {isChanged ? 'Not saved yet; kept in this browser. ' : saving.isSaved ? 'Saved. ' : ''}
              {text.length.toLocaleString()} of {LONGEST_SCRIPT.toLocaleString()} characters
            </p>
          )}
          <Fault error={saving.error} />
          {keys && !isTooLong && <StrayTags text={settled} keys={keys} write={write} may={may} />}
        </div>
        <LeaveDialog unsaved={isChanged && may ? ['Script'] : []} isKept />
      </Part>
      <Beside>
        <Sample list={list} title="As agents will read it">
          {(lead) => (
            <div className="script-preview script-text">
              {settled.trim() === '' ? (
                <Empty title="No script yet.">What you write shows here, filled in for this lead.</Empty>
              ) : settled.length > LONGEST_SCRIPT ? (
                <Empty title="Too long to show." />
              ) : (
                <Preview text={settled} values={lead} fields={fields?.fields} />
              )}
            </div>
          )}
        </Sample>
      </Beside>
    </>
  );
}

const over = (text: string): string => (text.length - LONGEST_SCRIPT).toLocaleString();

type PreviewProps = { text: string; values: { lead_data: Record<string, string> }; fields: Field[] | undefined };

function Preview({ text, values, fields }: PreviewProps) {
  const { tokens } = useScript(text, true);
  const labels = new Map(fields?.map(({ key, label }) => [key, label]));
  return (
    <ScriptText
      tokens={tokens}
      lead={values}
      labelOf={(key) => labels.get(key) ?? key}
      isKnown={fields && ((key) => labels.has(key))}
    />
  );
}

type ToolbarProps = { area: { current: HTMLTextAreaElement | null }; fields: Field[] };

function Toolbar({ area, fields }: ToolbarProps) {
  const tool = (label: string, Icon: TablerIcon, before: string, after = '') => (
    <IconButton label={label} title={label} onClick={() => area.current && wrapChosen(area.current, before, after)}>
      <Icon size={16} stroke={1.75} aria-hidden />
    </IconButton>
  );
  return (
    <div className="script-tools" role="toolbar" aria-label="Script">
      {tool('Heading', IconHeading, '# ')}
      {tool('Bold', IconBold, '**', '**')}
      {tool('List', IconList, '- ')}
      <Menu
        className="script-tag"
        label="Fields"
        seek={fields.length > 8 ? 'Type a part of its name' : undefined}
        groups={[
          {
            items: fields.map(({ id, key, label }) => ({
              id,
              name: label,
              end: key,
              act: () => area.current && putTag(area.current, key),
            })),
          },
        ]}
      >
        <IconBraces size={16} stroke={1.75} aria-hidden />
        Put in a field
      </Menu>
    </div>
  );
}

type StrayProps = { text: string; keys: string[]; write: (text: string) => void; may: boolean };

/** Merge tags that name no field, with what was likely meant. */
function StrayTags({ text, keys, write, may }: StrayProps) {
  const stray = findStrayTags(text, keys);
  if (stray.length === 0) return null;
  return (
    <ul className="stray-tags">
      {stray.map(({ tag, nearest }) => (
        <li key={tag}>
          <code>{`{{${tag}}}`}</code> names no field
          {nearest && <>: did you mean {nearest}? </>}
          {nearest && may && <TextButton onClick={() => write(replaceTag(text, tag, nearest))}>Replace</TextButton>}
        </li>
      ))}
    </ul>
  );
}

function usePaused(text: string, pause: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pause);
    return () => clearTimeout(timer);
  }, [text, pause]);
  return settled;
}
