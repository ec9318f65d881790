import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { paths } from '../../contract/paths.ts';
import { useRight } from '../session.ts';
import { DeliveryLog } from './delivery-log.tsx';
import type { Look, Looking } from './hooks.ts';
import { KeyPanel } from './key-panel.tsx';
import { KeyUsePanel } from './key-use.tsx';
import { ManageFrame } from './manage-frame.tsx';
import { webhooksQuery } from './queries.ts';
import { WebhooksPanel } from './webhooks-panel.tsx';
import './integrations-page.css';

export function IntegrationsPage() {
  const [looking, setLooking] = useState<Looking | undefined>();
  return (
    <ManageFrame
      title="Integrations"
      right="webhooks.manage"
      className={looking ? 'integrations with-log' : 'integrations'}
      action={
        <a href={paths.reference} className="page-link">
          API reference
        </a>
      }
    >
      <Integrations looking={looking} look={setLooking} />
    </ManageFrame>
  );
}

type Props = { looking: Looking | undefined; look: Look };

function Integrations({ looking, look }: Props) {
  const owns = useRight('account.manage');
  const { data = [] } = useQuery(webhooksQuery);
  const step = (by: number) => {
    const index = data.findIndex(({ id }) => id === looking?.webhookId);
    const next = data[index + by];
    if (index >= 0 && next) look({ webhookId: next.id });
  };
  return (
    <>
      {owns && (
        <KeyPanel whose="account" title="Account key">
          May do all that an owner may. Keep it on servers, never in a browser.
        </KeyPanel>
      )}
      <WebhooksPanel looking={looking} look={look} />
      {owns && <KeyUsePanel whose="account" />}
      <DeliveryLog
        webhook={data.find(({ id }) => id === looking?.webhookId)}
        delivery={looking?.delivery}
        look={look}
        step={step}
      />
    </>
  );
}
