import { complain, type BuildContext } from './build-parts.ts';
import type { ReplicaConfig } from './config.ts';
import { Secret } from './secret.ts';
import type { Values } from './settings.ts';

/** Location of the replica; null for none. */
export function replicaConfig(values: Values, context: BuildContext): ReplicaConfig | null {
  const { replicaUrl, replicaEndpoint, replicaRegion, replicaMaxLag } = values;
  for (const name of ['replicaEndpoint', 'replicaRegion'] as const) {
    if (values[name] !== undefined && replicaUrl?.protocol !== 's3:')
      complain(context, name, 'is of no use without s3:// in TILLD_REPLICA_URL');
  }
  if (replicaUrl === undefined) return null;
  return {
    url: new Secret(replicaUrl.href),
    s3Endpoint: replicaEndpoint?.href.replace(/\/+$/, '') ?? null,
    s3Region: replicaRegion ?? null,
    maxLagMs: replicaMaxLag,
  };
}
