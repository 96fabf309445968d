import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Data } from '../../contract/contract.ts';
import type { Coin } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Check, Field, Select } from '../../ui/form.tsx';
import { Time } from '../../ui/time.tsx';
import { Form } from '../../ui/whole-form.tsx';

type Forward = Data<'GET', '/merchant/wallet/forward'>['forwards'][number];

const FIELDS = ['destination', 'descriptor', 'keep', 'threshold', 'intervalMinutes', 'active'] as const;
type Typed = Record<(typeof FIELDS)[number], string>;

/** Forwards to cold storage, for the owner. */
export function ForwardButton() {
  const merchantId = useShopId();
  const may = usePermission();
  const [isOpen, setIsOpen] = useState(false);
  const [coin, setCoin] = useState<Coin>('BTC');
  const forwards = useApi('/merchant/wallet/forward', { merchantId }).data?.forwards;
  if (!may('owner') || forwards === undefined) return null;
  const forward = forwards.find((one) => one.coin === coin);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t('Cold storage')}</Button>
      <Dialog title={t('Forward to cold storage')} open={isOpen} onClose={() => setIsOpen(false)}>
        <div className="grid gap-4">
          <p className="text-sm text-soft">
            {t(
              'Money above the amounts you keep is sent automatically to your own cold storage. Money promised to open refund links stays. A new destination takes effect after a delay, and you are notified by email.',
            )}
          </p>
          <Select label={t('Coin')} value={coin} onChange={({ target }) => setCoin(target.value as Coin)}>
            {COINS.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </Select>
          {forward !== undefined && <State forward={forward} />}
          <ForwardForm key={coin} coin={coin} forward={forward} />
        </div>
      </Dialog>
    </>
  );
}

/** Where it goes, the state, and a destination that takes effect later. */
function State({ forward }: { forward: Forward }) {
  const merchantId = useShopId();
  const { coin, pending, problem } = forward;
  const body = { merchantId, coin };
  const drop = useAct(() => api('DELETE', '/merchant/wallet/forward/pending', { body }));
  const end = useAct(() => api('DELETE', '/merchant/wallet/forward', { body }));
  const error = drop.error ?? end.error;
  return (
    <div className="grid gap-2 text-sm">
      <Target of={forward} title={t('Next addresses')} />
      {problem !== null && <p className="text-warn">{problem}</p>}
      {pending !== null && (
        <div className="grid gap-2 rounded-xl bg-warn-soft p-4 text-warn">
          <p className="font-semibold">
            {t('New destination from')} <Time at={pending.takesEffectAt} exact="minute" />
          </p>
          <Target of={pending} title={t('Compare these addresses with those of your wallet')} />
          <div>
            <Button busy={drop.isPending} onClick={() => drop.mutate()}>
              {t('Drop the new destination')}
            </Button>
          </div>
        </div>
      )}
      {error !== null && <Problem error={error} />}
      <div>
        <Button busy={end.isPending} onClick={() => end.mutate()}>
          {t('Stop forwarding {coin}', { coin })}
        </Button>
      </div>
    </div>
  );
}

function Target({ of, title }: { of: Pick<Forward, 'addresses'>; title: string }) {
  if (of.addresses.length === 0) return null;
  return (
    <div>
      <p>{title}</p>
      <ul className="money break-all">
        {of.addresses.map((address) => (
          <li key={address}>{address}</li>
        ))}
      </ul>
    </div>
  );
}

function ForwardForm({ coin, forward }: { coin: Coin; forward: Forward | undefined }) {
  const merchantId = useShopId();
  const act = useAct((typed: Typed) =>
    api('PATCH', '/merchant/wallet/forward', {
      body: {
        merchantId,
        coin,
        ...(typed.destination === '' ? {} : { destination: typed.destination }),
        ...(typed.descriptor === '' ? {} : { descriptor: typed.descriptor }),
        keep: typed.keep,
        threshold: typed.threshold,
        intervalMinutes: Number(typed.intervalMinutes),
        active: typed.active !== '',
      },
    }),
  );
  const text = { autoComplete: 'off', spellCheck: false } as const;
  const amount = { ...text, inputMode: 'decimal', hint: coin, required: true } as const;
  return (
    <Form
      fields={FIELDS}
      submit={t('Save')}
      busy={act.isPending}
      error={act.error}
      onSubmit={(typed) => act.mutate(typed)}
    >
      <Field
        label={t('Address of the other wallet')}
        name="destination"
        {...(forward === undefined ? {} : { hint: t('Empty: it stays as it is') })}
        {...text}
      />
      {(coin === 'BTC' || coin === 'LTC') && (
        <Field
          label={t('Or its public key or descriptor, for a fresh address each time')}
          name="descriptor"
          {...text}
        />
      )}
      <Field label={t('Always keep')} name="keep" defaultValue={forward?.keep ?? '0'} {...amount} />
      <Field
        label={t('Forward from this amount on')}
        name="threshold"
        defaultValue={forward?.threshold ?? ''}
        {...amount}
      />
      <Field
        label={t('At most once in so many minutes')}
        name="intervalMinutes"
        type="number"
        min={1}
        max={43_200}
        defaultValue={forward?.intervalMinutes ?? 1440}
        required
      />
      <Check label={t('Forward now and in future')} name="active" defaultChecked={forward?.active ?? true} />
    </Form>
  );
}
