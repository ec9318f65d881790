import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { AccountChange } from '../../contract/accounts.ts';
import { countries, timeZones } from '../../contract/places.ts';
import { ask, queries } from '../api.ts';
import { sessionQuery } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { notice } from '../ui/notices.ts';
import { Failure, Loading } from '../ui/parts.tsx';
import { Ceilings } from './account-ceilings.tsx';
import { changesOf, LABELS, toValues, type Form, type Values } from './account-values.ts';
import { LeaveDialog } from './leave-dialog.tsx';
import { ManageFrame } from './manage-frame.tsx';
import { accountQuery, type AccountSettings } from './queries.ts';
import { RecordingsTrouble } from './recordings-trouble.tsx';
import { Fault, faultsOf, restOf, useFaultFocus, writtenSince } from '../ui/form.tsx';
import { foot } from '../ui/foot.ts';
import { Panel } from '../ui/panel.tsx';
import '../ui/panel.css';
import './account-page.css';

export const AccountPage = () => (
  <ManageFrame title="Account" right="account.manage">
    <Settings />
  </ManageFrame>
);

function Settings() {
  const { data, error, refetch } = useQuery(accountQuery);
  if (data) return <SettingsForm account={data} />;
  return (
    <section className="panel narrow" aria-label="Settings">
      {error ? <Failure error={error} again={() => void refetch()} /> : <Loading rows={8} />}
    </section>
  );
}

function SettingsForm({ account }: { account: AccountSettings }) {
  const form = useForm<Values>({ initialValues: toValues(account) });
  const show = (settings: AccountSettings, written?: Partial<Values>) => {
    form.setInitialValues(toValues(settings));
    form.setValues({ ...toValues(settings), ...written });
    form.resetDirty(toValues(settings));
  };
  const saving = useMutation({
    mutationFn: (values: Values) => {
      const change = changesOf(form.getInitialValues(), values);
      // Spaces within a number are how people write it.
      if (change.caller_number) change.caller_number = change.caller_number.replaceAll(/[\s().-]/g, '');
      return ask<AccountSettings>('PATCH', '/account', { account: change } satisfies AccountChange);
    },
    onSuccess: (saved, sent) => {
      queries.setQueryData(accountQuery.queryKey, saved);
      void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      // What was written on meanwhile stays.
      show(saved, writtenSince(sent, form.getValues()));
      notice('Saved. It holds from now on.');
    },
    onError: (error) => {
      const faults = faultsOf(error, LABELS);
      if (faults.caller_number) faults.caller_number = 'Write it with + and the code of the country: +4570101010.';
      form.setErrors(faults);
    },
  });
  // What a colleague saved meanwhile shows, where nothing was begun here.
  useEffect(() => {
    if (!form.isDirty()) show(account);
  }, [account]);
  const element = useFaultFocus(saving.error);
  const rest = restOf(saving.error, LABELS);
  const unsaved = Object.keys(changesOf(form.getInitialValues(), form.getValues())).map(
    (name) => LABELS[name as keyof typeof LABELS],
  );
  return (
    <form
      ref={element}
      className="settings"
      noValidate
      onSubmit={form.onSubmit((values) => {
        if (!saving.isPending && unsaved.length > 0) saving.mutate(values);
      })}
    >
      <Panel title="Name and place">
        <Identity form={form} />
      </Panel>
      <Panel title="Claims">
        <Claims form={form} />
      </Panel>
      <Panel title="Calls">
        <RecordingsTrouble />
        <Calls form={form} />
      </Panel>
      <Panel title="Ceilings">
        <Ceilings form={form} />
      </Panel>
      {unsaved.length > 0 && (
        <section ref={foot} className="settings-foot" aria-label="Unsaved changes">
          <div className="grow">
            <Fault error={rest} />
            {!rest && (
              <p role="status">
                {Object.keys(form.errors).length > 0
                  ? 'Not saved: a field above needs another look. What you wrote is kept.'
                  : 'Not saved yet'}
              </p>
            )}
            <p className="meta wrap">{unsaved.join(' · ')}</p>
          </div>
          <Button
            variant="default"
            onClick={() => {
              saving.reset();
              form.reset();
            }}
          >
            Discard
          </Button>
          <Button type="submit" loading={saving.isPending}>
            Save
          </Button>
        </section>
      )}
      <LeaveDialog unsaved={unsaved} />
    </form>
  );
}

function Identity({ form }: { form: Form }) {
  const { country, time_zone } = form.getValues();
  const nations = useMemo(() => countries(country), [country]);
  const zones = useMemo(() => timeZones(time_zone), [time_zone]);
  return (
    <div className="stack">
      <TextInput
        label={LABELS.name}
        description="Stands in invitations and beside your people’s names."
        autoComplete="organization"
        {...form.getInputProps('name')}
      />
      <TextInput
        label={LABELS.base_url}
        description="Where browsers and programs reach this service; links in mails and webhooks begin with it."
        type="url"
        className="mono-input"
        {...form.getInputProps('base_url')}
      />
      <div className="side-by-side">
        <Select
          withScrollArea={false}
          classNames={{ options: 'choices-list' }}
          label={LABELS.country}
          description="Numbers without a + are read as numbers of this country."
          data={nations}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No country by that name."
          {...form.getInputProps('country')}
        />
        <Select
          withScrollArea={false}
          classNames={{ options: 'choices-list' }}
          label={LABELS.time_zone}
          description="Days in figures begin and end by this clock."
          data={zones}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No time zone by that name."
          {...form.getInputProps('time_zone')}
        />
      </div>
    </div>
  );
}

const Claims = ({ form }: { form: Form }) => (
  <div className="stack">
    <p className="meta">
      A claim keeps a lead in one person’s queue. These act in this application, never through the API.
    </p>
    <Switch
      withThumbIndicator={false}
      label={LABELS.claim_on_schedule}
      description="A call back at an exact time stays with whoever set it."
      {...form.getInputProps('claim_on_schedule', { type: 'checkbox' })}
    />
    <Switch
      withThumbIndicator={false}
      label={LABELS.claim_on_put_off}
      description="A call back for any time after, or without a time, stays with whoever set it."
      {...form.getInputProps('claim_on_put_off', { type: 'checkbox' })}
    />
    <Switch
      withThumbIndicator={false}
      label={LABELS.claim_on_win}
      description="A won lead stays with whoever won it."
      {...form.getInputProps('claim_on_win', { type: 'checkbox' })}
    />
    <NumberInput
      className="short"
      label={LABELS.claim_lapse_days}
      description="Counted from the due date, or from the claim where that is later; then the lead is anyone’s again. Empty means never."
      min={0}
      max={3650}
      allowDecimal={false}
      clampBehavior="none"
      placeholder="Never"
      {...form.getInputProps('claim_lapse_days')}
    />
  </div>
);

const Calls = ({ form }: { form: Form }) => (
  <div className="stack">
    <div className="side-by-side">
      <TextInput
        label={LABELS.caller_number}
        description="What people see when you ring. A list can have its own."
        type="tel"
        autoComplete="off"
        {...form.getInputProps('caller_number')}
      />
      <TextInput
        label={LABELS.caller_name}
        description="Shown beside the number where the network carries names."
        autoComplete="off"
        {...form.getInputProps('caller_name')}
      />
    </div>
    <TextInput
      label={LABELS.away_reasons}
      description="What agents choose from when they leave the desk, with commas between."
      autoComplete="off"
      {...form.getInputProps('away_reasons')}
    />
    <Switch
      withThumbIndicator={false}
      label={LABELS.record_calls}
      description="Both sides, from the answer on. Tell people where the law asks for it."
      {...form.getInputProps('record_calls', { type: 'checkbox' })}
    />
    <Switch
      withThumbIndicator={false}
      label={LABELS.announce_recording}
      description="Before a recording begins, both sides hear a note and “This call is recorded.”"
      {...form.getInputProps('announce_recording', { type: 'checkbox' })}
    />
    <NumberInput
      className="short"
      label={LABELS.recordings_keep_days}
      description="Older ones are deleted for good. Empty means for ever."
      min={1}
      max={3650}
      allowDecimal={false}
      clampBehavior="none"
      placeholder="For ever"
      {...form.getInputProps('recordings_keep_days')}
    />
  </div>
);
