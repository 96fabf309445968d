import type { ReplicaTarget } from '../litestream.ts';
import { FolderFiles } from './folder-files.ts';
import type { ReplicaFiles } from './replica-files.ts';
import { S3Files } from './s3-files.ts';
import { SftpFiles } from './sftp-files.ts';

/** @throws {ReplicaError} for a place that cannot be read so */
export async function openReplicaFiles(target: ReplicaTarget): Promise<ReplicaFiles> {
  switch (new URL(target.url.reveal()).protocol) {
    case 'sftp:':
      return SftpFiles.open(target);
    case 's3:':
      return S3Files.open(target);
    default:
      return new FolderFiles(target);
  }
}
