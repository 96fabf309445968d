import { Link } from '@tanstack/react-router';
import { api } from './api/client.ts';
import { useAct, useShopId, useShops } from './api/hooks.ts';
import { t } from './i18n/t.ts';
import { Button, LINK, Problem } from './ui/basics.tsx';

/** The owner's decision after a restore: whether the keys and members in the backup are valid again. */
export function RestoredNote() {
  const shopId = useShopId();
  const shop = useShops().data?.merchants.find(({ id }) => id === shopId);
  const confirm = useAct(() => api('POST', '/merchant/keys/confirm', { body: { merchantId: shopId } }));
  if (shop?.keysSuspended !== true) return null;
  return (
    <div role="status" className="mb-6 grid gap-3 rounded-xl bg-warn-soft p-4 text-sm text-warn">
      <p>
        {t(
          'This till was restored from an older copy. Keys and members that you removed since then may be back, so secret keys, keys that can send coins, and members do not work until you confirm them.',
        )}
      </p>
      {shop.role === 'owner' && (
        <>
          <p>
            <Link to="/shop/$shopId/keys" params={{ shopId }} className={LINK}>
              {t('Check the keys')}
            </Link>
            {' · '}
            <Link to="/shop/$shopId/people" params={{ shopId }} className={LINK}>
              {t('Check the people')}
            </Link>
          </p>
          {confirm.error !== null && <Problem error={confirm.error} />}
          <div>
            <Button busy={confirm.isPending} onClick={() => confirm.mutate()}>
              {t('Confirm keys and people')}
            </Button>
          </div>
        </>
      )}
    </div>
  );
}
