import { useQuery } from '@tanstack/react-query';
import { ask } from '../api.ts';
import { useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { Dialog, DialogFoot } from '../ui/dialog.tsx';
import { Fault } from '../ui/form.tsx';
import { Breakable, Loading } from '../ui/parts.tsx';

type Invited = { id: number; email: string };

export const handOverTitle = ({ email }: Invited) => `Give ${email} this link`;

export const HandOverDialog = ({ person, close }: { person: Invited | undefined; close: () => void }) => (
  <Dialog opened={person !== undefined} onClose={close} title={person ? handOverTitle(person) : ''} size={520}>
    {person && <HandOver person={person} close={close} />}
  </Dialog>
);

/** The link of an invitation that no mail brings. */
export function HandOver({ person, close }: { person: Invited; close: () => void }) {
  const { account } = useSession();
  const { data, error } = useQuery({
    queryKey: ['invitation', person.id],
    queryFn: () => ask<{ link: string }>('POST', `/users/${person.id}/invitation/link`),
    // Each look is written down, and another may have made a new one since.
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
  return (
    <div className="stack">
      {!account.sends_mail && (
        <p className="said-before">No mail is sent from here: the service has no mail server (SMTP_URL).</p>
      )}
      {!data && !error && <Loading />}
      {data && (
        <>
          <p className="key-value">
            <Breakable>{data.link}</Breakable>
          </p>
          <p className="aside-note">
            It works once, for 72 hours after the invitation. Whoever opens it chooses the password of {person.email}.
          </p>
        </>
      )}
      <Fault error={error} />
      <DialogFoot>
        {data && <Copy text={data.link} what="the link" />}
        <Button data-autofocus onClick={close}>
          Done
        </Button>
      </DialogFoot>
    </div>
  );
}
