import { sql } from 'kysely';

/** Ids of a payment and of those that it superseded: their money counts for it. @param payments the table or its alias */
export function idsWithSuperseded(payments: string) {
  const [id, groupId] = [sql.ref(`${payments}.id`), sql.ref(`${payments}.group_id`)];
  return sql<string>`(SELECT ${id} UNION ALL
    SELECT member.id FROM payments AS member WHERE member.group_id = ${groupId} AND member.superseded_by = ${id})`;
}
