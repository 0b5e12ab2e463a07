// English: the people who work for an app.

export const enColleagues = {
  'staff.title': 'Staff',
  'staff.about': 'Everyone signs in with their own email and can do what their role allows.',
  'staff.none': 'No staff yet',
  'staff.noneAbout': 'Invite the people who look after your customers, instead of sharing the super key.',
  'staff.role.support': 'Support',
  'staff.role.finance': 'Finance',
  'staff.role.admin': 'Admin',
  'staff.may.support': 'Sees everything, pauses campaigns, and reviews banners.',
  'staff.may.finance': 'Sees everything, and credits what customers have paid.',
  'staff.may.admin': 'Does everything, and decides who is on the staff.',
  'staff.removeAbout': 'They are signed out at once, and can no longer sign in as staff.',
  'staff.history': 'Changes',
  'staff.noHistory': 'No changes yet',
  'staff.add': '{who} added {name} as {role}',
  'staff.edit': '{who} made {name} {role}',
  'staff.rename': '{who} renamed {before} to {name}',
  'staff.remove': '{who} removed {name}',
  'staff.reset_passkeys': '{who} reset the passkeys of {name}',
} as const
