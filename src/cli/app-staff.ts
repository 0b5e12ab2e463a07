// `marquee app staff …`: the people who work for an app and sign in to its console by email, each with a role.

import { Command, Option } from 'commander'
import { livingAppId } from '../identity/apps.ts'
import {
  addStaff,
  changeStaff,
  listStaff,
  removeStaff,
  resetStaffPasskeys,
  type Staff,
  staffNamed,
} from '../identity/staff/staff.ts'
import { readEmail } from '../kernel/address.ts'
import { STAFF_ROLES, type StaffRole } from '../kernel/permissions.ts'
import { createLog } from '../platform/log.ts'
import { createMailer, outboxOf } from '../platform/mail.ts'
import { WrongUsage } from './exit.ts'
import { printRecord, printRows } from './print.ts'
import { withDatabase } from './with-database.ts'

interface Options {
  app: string
  json?: boolean
}

interface PersonOptions extends Options {
  role?: StaffRole
  name?: string
}

const ROLE = 'support: reads, pauses and reviews banners; finance: reads and credits; admin: everything'
const roleOption = () => new Option('--role <role>', ROLE).choices([...STAFF_ROLES])

export function staffCommand(): Command {
  const command = new Command('staff').description(
    'staff of an app: add, list, change, remove, reset passkeys',
  )
  const shared = (child: Command) =>
    child.option('--app <name>', 'the app', 'default').option('--json', 'print JSON')
  shared(command.command('add <email>'))
    .description('let a person work for the app: they sign in to its console by emailed passcode')
    .addOption(roleOption().makeOptionMandatory())
    .option('--name <name>', 'for people')
    .addHelpText('after', '\nExample:\n  marquee app staff add sue@shop.example --role support --app shop')
    .action((email: string, options: PersonOptions & { role: StaffRole }) => {
      const person = { email: checkEmail(email), name: checkName(options.name) ?? null, role: options.role }
      return withDatabase(async (db, _, clock) => {
        const made = await db.transaction(async tx =>
          addStaff(tx, await livingAppId(tx, options.app), person, clock),
        )
        printRecord(shown(made), !!options.json)
      })
    })
  shared(command.command('list'))
    .description('list the staff of an app')
    .addHelpText('after', '\nExample:\n  marquee app staff list --app shop')
    .action((options: Options) =>
      withDatabase(async db => {
        const people = await listStaff(db, await livingAppId(db, options.app))
        printRows(people.map(shown), ['email', 'name', 'role', 'created', 'joined'], !!options.json)
      }),
    )
  shared(command.command('change <email>'))
    .description('change a role or a name; it takes effect at once')
    .addOption(roleOption())
    .option('--name <name>', 'for people')
    .addHelpText('after', '\nExample:\n  marquee app staff change sue@shop.example --role admin --app shop')
    .action((email: string, options: PersonOptions) => {
      const change = { name: checkName(options.name), role: options.role }
      return withDatabase(async (db, _, clock) => {
        const changed = await db.transaction(async tx =>
          changeStaff(tx, await livingAppId(tx, options.app), email, change, clock),
        )
        printRecord(shown(changed), !!options.json)
      })
    })
  shared(command.command('remove <email>'))
    .description('remove a person from the staff; their sessions end at once')
    .addHelpText('after', '\nExample:\n  marquee app staff remove sue@shop.example --app shop')
    .action((email: string, options: Options) =>
      withDatabase(async (db, _, clock) => {
        const removed = await db.transaction(async tx =>
          removeStaff(tx, await livingAppId(tx, options.app), email, clock),
        )
        printRecord({ email: removed.email, removed: true }, !!options.json)
      }),
    )
  shared(command.command('reset-passkeys <email>'))
    .description('remove all passkeys of a person who has lost them; they are signed out, and get an email')
    .addHelpText('after', '\nExample:\n  marquee app staff reset-passkeys sue@shop.example --app shop')
    .action((email: string, options: Options) =>
      withDatabase(async (db, config, clock) => {
        const log = createLog('silent')
        const { SMTP_URL: smtpUrl, MAIL_FROM: from, DATA_DIR, PUBLIC_URL: publicUrl } = config
        const mail = createMailer({ smtpUrl, from, outboxDir: outboxOf(DATA_DIR), clock, log })
        try {
          const passkeys = await db.transaction(async tx => {
            const appId = await livingAppId(tx, options.app)
            const staff = await staffNamed(tx, appId, email)
            return resetStaffPasskeys(tx, appId, staff, { mail, clock, publicUrl })
          })
          printRecord({ email, passkeys }, !!options.json)
        } finally {
          mail.close()
        }
      }),
    )
  return command
}

function shown({ email, name, role, created, joined }: Staff) {
  return { email, name, role, created, joined }
}

function checkEmail(text: string): string {
  const email = readEmail(text)
  if (email !== null) return email
  throw new WrongUsage(`"${text}" is not an email address`)
}

function checkName(text: string | undefined): string | undefined {
  const name = text?.trim()
  if (name === undefined || (name !== '' && name.length <= 255 && !/\p{Cc}/u.test(name))) return name
  throw new WrongUsage('--name must have 1 to 255 characters')
}
