import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { LineState } from '../line.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogFoot } from '../ui/dialog.tsx';
import { Fault, Form } from '../ui/form.tsx';
import { notice } from '../ui/notices.ts';

/** To whom the call goes on: at once, or after one has talked to them. */
export function PassOnDialog({ line, close }: { line: LineState; close: () => void }) {
  const [number, setNumber] = useState('');
  const passing = useMutation({
    mutationFn: async (asked: boolean) => {
      await line.passOn(number.trim(), asked);
      if (!asked) notice(`${number.trim()} is being called. When they answer, they talk and you are free.`);
    },
    onSuccess: close,
  });
  const isEmpty = number.trim().length < 2;
  const askFirst = () => {
    if (!isEmpty) passing.mutate(true);
  };
  return (
    <Dialog opened onClose={close} title="Pass the call on" size={440}>
      <Form asking={{ ...passing, mutate: askFirst }}>
        <TextInput
          label="Number"
          type="tel"
          description="The call waits while you ask; passed on at once, it goes on without you."
          autoComplete="off"
          maxLength={100}
          data-autofocus
          value={number}
          onChange={(event) => setNumber(event.currentTarget.value)}
        />
        <Fault error={passing.error} />
        <DialogFoot>
          <Button
            variant="default"
            disabled={isEmpty}
            loading={passing.isPending && !passing.variables}
            onClick={() => passing.mutate(false)}
          >
            Pass on
          </Button>
          <Button type="submit" disabled={isEmpty} loading={passing.isPending && passing.variables}>
            Ask first
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  );
}
