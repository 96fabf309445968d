import { useQuery } from '@tanstack/react-query';
import { requestPrivate, type ApiError, type Explorers } from './client.ts';
import { useSession } from './session.ts';

/** The block explorers that the operator configured; none until they are loaded. */
export function useExplorers(): Explorers {
  const userId = useSession()?.user.id;
  const read = useQuery<Explorers, ApiError>({
    queryKey: ['explorers', userId],
    queryFn: async () => (await requestPrivate('GET /auth/session')).explorers,
    enabled: userId !== undefined,
    staleTime: Infinity,
  });
  return read.data ?? {};
}
