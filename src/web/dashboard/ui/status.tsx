import type { Status } from '../contract/types.ts';
import { Badge, type Tone } from './basics.tsx';
import { words } from './labels.ts';

const TONES: Record<Status, Tone> = {
  pending: 'idle',
  underpaid: 'warn',
  confirming: 'busy',
  completed: 'good',
  expired: 'idle',
  cancelled: 'idle',
  failed: 'bad',
  refunded: 'warn',
};

export function StatusBadge(props: { status: Status; exception: string | null }) {
  const { status, exception } = props;
  return (
    <span className="inline-flex flex-wrap gap-1">
      <Badge tone={TONES[status]}>{words(status)}</Badge>
      {exception !== null && exception !== status && (
        <Badge tone={exception === 'reversed' ? 'bad' : 'warn'}>{words(exception)}</Badge>
      )}
    </span>
  );
}
