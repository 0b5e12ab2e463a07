// The entries of a statement with the balance after each, between the balance before and the balance after them.

import { Table } from '@mantine/core'
import type { AccountEntry } from '../../src/accounts/contract.ts'
import * as format from '../format/format.ts'
import { t } from '../words/words.ts'
import type { Statement } from './data.ts'

interface StatementTableProps {
  statement: Statement
  /** Of campaigns that are there. */
  names: ReadonlyMap<number, string>
}

export function StatementTable({ statement, names }: StatementTableProps) {
  const { entries, opening, closing, from, to, timezone } = statement
  const date = (timeS: number) => format.date(timeS, timezone)
  return (
    <Table verticalSpacing={6} className="statement">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('balance.date')}</Table.Th>
          <Table.Th>{t('balance.entry')}</Table.Th>
          <Table.Th ta="right">{t('balance.amount')}</Table.Th>
          <Table.Th ta="right">{t('balance.after')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        <Edge date={date(from)} name={t('balance.opening')} amount={opening} />
        {withBalances(entries, opening).map(({ entry, balance, key }) => (
          <Table.Tr key={key}>
            <Table.Td>{date(entry.time)}</Table.Td>
            <Table.Td>{textOf(entry, names)}</Table.Td>
            <Table.Td ta="right">{format.exactMoney(entry.amount)}</Table.Td>
            <Table.Td ta="right">{format.exactMoney(balance)}</Table.Td>
          </Table.Tr>
        ))}
        <Edge date={date(to - 1)} name={t('balance.closing')} amount={closing} />
      </Table.Tbody>
    </Table>
  )
}

function Edge({ date, name, amount }: { date: string; name: string; amount: number }) {
  return (
    <Table.Tr fw="var(--strong)">
      <Table.Td>{date}</Table.Td>
      <Table.Td>{name}</Table.Td>
      <Table.Td />
      <Table.Td ta="right">{format.exactMoney(amount)}</Table.Td>
    </Table.Tr>
  )
}

/** Added up in millionths, so that no sum is off by a rounding. */
function withBalances(entries: readonly AccountEntry[], opening: number) {
  let micros = Math.round(opening * 1e6)
  return entries.map((entry, index) => {
    micros += Math.round(entry.amount * 1e6)
    return { entry, balance: micros / 1e6, key: `${index} ${entry.time}` }
  })
}

function textOf({ kind, cid, reference, note }: AccountEntry, names: ReadonlyMap<number, string>): string {
  if (cid !== undefined) return t('balance.spendOf', { campaign: names.get(cid) ?? cid })
  if (reference === undefined) return t('balance.rest')
  const name = t(kind === 'credit' ? 'balance.kind.credit' : 'balance.kind.correction', { reference })
  return note === undefined ? name : `${name} · ${note}`
}
