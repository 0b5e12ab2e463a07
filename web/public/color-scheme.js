// Sets the colour scheme before the first paint, so that a dark page never flashes white. What is printed is light: paper
// is white.
;(() => {
  const { dataset } = document.documentElement
  const wanted = localStorage.getItem('marquee-color-scheme') ?? 'auto'
  const dark = wanted === 'dark' || (wanted === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  dataset.mantineColorScheme = dark ? 'dark' : 'light'
  let onScreen = dataset.mantineColorScheme
  addEventListener('beforeprint', () => {
    onScreen = dataset.mantineColorScheme
    dataset.mantineColorScheme = 'light'
  })
  addEventListener('afterprint', () => {
    dataset.mantineColorScheme = onScreen
  })
})()
