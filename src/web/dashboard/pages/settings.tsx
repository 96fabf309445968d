import { useState } from 'react';
import { api } from '../api/client.ts';
import { useAct, useShop, useShops } from '../api/hooks.ts';
import type { Shop } from '../api/types.ts';
import { Badge, Button, Card, CopyLine, PageTitle, Problem, Shown } from '../ui/basics.tsx';
import { Field, fieldError, Form, Select } from '../ui/form.tsx';
import { when } from '../ui/format.ts';

export function SettingsPage() {
  const shops = useShops();
  const shop = useShop();
  return (
    <>
      <PageTitle title="Settings" lead={shop?.name} />
      <Shown of={shops}>
        {() =>
          shop === undefined ? (
            <p>There is no such shop.</p>
          ) : (
            <div className="grid gap-6 lg:grid-cols-2">
              <General key={shop.id} shop={shop} />
              <div className="grid content-start gap-6">
                <Domain shop={shop} />
                <Sandbox shop={shop} />
              </div>
            </div>
          )
        }
      </Shown>
    </>
  );
}

function General({ shop }: { shop: Shop }) {
  const save = useAct(({ paymentLifetimeMinutes, ...fields }: Record<string, string>) =>
    api('PATCH', '/merchant/edit', {
      body: { ...fields, merchantId: shop.id, paymentLifetimeMinutes: Number(paymentLifetimeMinutes) },
    }),
  );
  const { error } = save;
  return (
    <Card title="Shop">
      <Form
        submit="Save"
        busy={save.isPending}
        error={error}
        onSubmit={(values) => save.mutate(values)}
        extra={
          save.isSuccess && (
            <span role="status" className="text-sm text-accent">
              Saved
            </span>
          )
        }
      >
        <Field label="Name" name="name" defaultValue={shop.name} required {...fieldError(error, 'name')} />
        <Field label="Description" name="description" defaultValue={shop.description ?? ''} />
        <Field
          label="Webhook URL"
          name="webhookUrl"
          type="url"
          placeholder="https://shop.example.com/webhooks/tilld"
          hint="Told of every change of a payment; signed, and tried again for three days"
          defaultValue={shop.webhookUrl ?? ''}
          {...fieldError(error, 'webhookUrl')}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Time to pay, in minutes"
            name="paymentLifetimeMinutes"
            type="number"
            min={5}
            max={1440}
            defaultValue={shop.paymentLifetimeMinutes}
            {...fieldError(error, 'paymentLifetimeMinutes')}
          />
          <Field
            label="Tolerance, in percent"
            name="tolerancePercent"
            inputMode="decimal"
            hint="Underpayment still taken as paid, 0 to 5"
            defaultValue={shop.tolerancePercent}
            {...fieldError(error, 'tolerancePercent')}
          />
        </div>
        <Select label="Late money" name="latePayments" defaultValue={shop.latePayments}>
          <option value="accept">Accept it when it covers the price</option>
          <option value="review">Let me decide</option>
        </Select>
      </Form>
    </Card>
  );
}

interface Chosen {
  verification: { method: string; instructions: string; token: string };
}
interface Checked {
  verification: { verified: boolean; checkedAt: string | null; lastError: string | null };
}

/** What to publish, as it has to stand there. */
function recordOf(shop: Shop, { method, token }: Chosen['verification']): [string, string][] {
  switch (method) {
    case 'dns':
      return [
        ['Name of the TXT record', `_tilld-challenge.${shop.domain}`],
        ['Value', `token=${token}`],
      ];
    case 'file':
      return [
        ['Address of the file', `https://${shop.domain}/.well-known/tilld-verification.txt`],
        ['Content', token],
      ];
    default:
      return [['In the head of the home page', `<meta name="tilld-verification" content="${token}">`]];
  }
}

function Domain({ shop }: { shop: Shop }) {
  const [method, setMethod] = useState('dns');
  const body = { merchantId: shop.id };
  const choose = useAct(() => api<Chosen>('POST', '/merchant/verify-domain', { body: { ...body, method } }));
  const check = useAct(() => api<Checked>('POST', '/merchant/verify-domain/check', { body }));
  const found = check.data?.verification;
  const error = choose.error ?? check.error;
  return (
    <Card
      title="Domain"
      actions={
        <Badge tone={shop.isVerified ? 'good' : 'warn'}>
          {shop.isVerified ? 'Verified' : 'Not verified'}
        </Badge>
      }
    >
      <div className="grid gap-4">
        <p className="text-sm text-soft">
          Payers see <b className="text-ink">{shop.domain}</b> on the checkout, and whether it is yours.
        </p>
        <Select label="Prove it by" value={method} onChange={(event) => setMethod(event.target.value)}>
          <option value="dns">A DNS record</option>
          <option value="file">A file on the site</option>
          <option value="meta">A tag in the home page</option>
        </Select>
        {choose.data !== undefined &&
          recordOf(shop, choose.data.verification).map(([name, text]) => (
            <div key={name} className="grid gap-1.5">
              <p className="text-sm font-medium">{name}</p>
              <CopyLine text={text} label={name} />
            </div>
          ))}
        {error !== null && <Problem error={error} />}
        {found !== undefined && (
          <p role="status" className={`text-sm ${found.verified ? 'text-accent' : 'text-warn'}`}>
            {found.verified ? 'The domain is verified.' : (found.lastError ?? 'Not found yet.')}
            {found.checkedAt !== null && ` Looked ${when(found.checkedAt)}.`}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button look="primary" busy={choose.isPending} onClick={() => choose.mutate()}>
            Show what to publish
          </Button>
          <Button busy={check.isPending} onClick={() => check.mutate()}>
            Check now
          </Button>
        </div>
      </div>
    </Card>
  );
}

function Sandbox({ shop }: { shop: Shop }) {
  const flip = useAct(() =>
    api<{ message: string }>('POST', '/merchant/sandbox', {
      body: { merchantId: shop.id, sandboxMode: !shop.sandboxMode },
    }),
  );
  return (
    <Card
      title="Sandbox"
      actions={
        <Badge tone={shop.sandboxMode ? 'busy' : 'good'}>{shop.sandboxMode ? 'On' : 'Off: live'}</Badge>
      }
    >
      <p className="mb-4 text-sm text-soft">
        In the sandbox every coin is simulated. Payments that exist stay in the mode they were made in.
      </p>
      {flip.error !== null && <Problem error={flip.error} />}
      {flip.data !== undefined && (
        <p role="status" className="mb-3 text-sm text-accent">
          {flip.data.message}.
        </p>
      )}
      <Button busy={flip.isPending} onClick={() => flip.mutate()}>
        {shop.sandboxMode ? 'Go live' : 'Go to the sandbox'}
      </Button>
    </Card>
  );
}
