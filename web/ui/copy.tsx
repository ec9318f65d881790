import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { Button } from './button.tsx';
import './copy.css';

type CopyProps = { text: string; what: string; compact?: boolean };

export function Copy({ text, what, compact = false }: CopyProps) {
  const clipboard = useClipboard({ timeout: 2_000 });
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  return (
    <Button
      variant="default"
      size={compact ? 'compact' : 'sm'}
      aria-label={clipboard.copied ? 'Copied' : `Copy ${what}`}
      leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
      onClick={() => clipboard.copy(text)}
    >
      <span aria-live="polite">{clipboard.copied ? 'Copied' : 'Copy'}</span>
    </Button>
  );
}
