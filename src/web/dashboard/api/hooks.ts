import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api, type ApiError } from './client.ts';
import type { Data, PathOf, QueryOf } from '../contract/contract.ts';
import { useSession } from './session.ts';
import { readersZone } from '../format/format.ts';
import type { Shop } from '../contract/types.ts';

interface Options {
  readonly refetchMs?: number;
  readonly enabled?: boolean;
  /** Read once, and again only after a change. */
  readonly once?: boolean;
}

/** Reads one path of the API and caches it; the last page stays visible while the next one loads. */
export function useApi<P extends PathOf<'GET'>>(path: P, query?: QueryOf<'GET', P>, options: Options = {}) {
  // Between two sessions the page stays unchanged.
  const isIn = useSession() !== null;
  return useQuery<Data<'GET', P>, ApiError>({
    queryKey: [path, query ?? {}],
    queryFn: () => api<'GET', P>('GET', path, ...([{ query }] as never)),
    placeholderData: keepPreviousData,
    enabled: isIn && options.enabled !== false,
    ...(options.once === true ? { staleTime: Infinity } : {}),
    ...(options.refetchMs === undefined ? {} : { refetchInterval: options.refetchMs }),
  });
}

/** Changes something, then reloads everything visible. */
export function useAct<T, V = void>(act: (input: V) => Promise<T>, onDone?: (data: T) => void) {
  const client = useQueryClient();
  return useMutation<T, ApiError, V>({
    mutationFn: act,
    onSuccess: async (data) => {
      onDone?.(data);
      await client.invalidateQueries();
    },
  });
}

export function useShops() {
  return useApi('/merchant/list');
}

/** The shop in the address. */
export function useShopId(): string {
  const { shopId } = useParams({ strict: false });
  return shopId ?? '';
}

export function useShop(): Shop | undefined {
  const id = useShopId();
  return useShops().data?.merchants.find((shop) => shop.id === id);
}

/** The time zone of the shop's days: its own, else the reader's. */
export function useTimeZone(): string {
  return useShop()?.timeZone ?? readersZone;
}
