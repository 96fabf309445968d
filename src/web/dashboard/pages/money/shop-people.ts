import { useQuery } from '@tanstack/react-query';
import { requestPrivate, type ApiError } from '../../api/client.ts';
import { useShopId } from '../../api/hooks.ts';
import type { People } from '../../api/people.ts';

/** Email addresses of the owner and the members, by id. */
export type NamesById = ReadonlyMap<string, string>;

/** For the owner; empty until they are loaded. */
export function useNames(): NamesById {
  const merchantId = useShopId();
  const { data } = useQuery<People, ApiError>({
    queryKey: ['/merchant/people', merchantId],
    queryFn: () => requestPrivate('GET /merchant/people', undefined, { merchantId }),
  });
  if (data === undefined) return new Map();
  return new Map([data.owner, ...data.members].map(({ userId, email }) => [userId, email]));
}
