// Package html writes a report as one HTML file, which a browser opens from disk.
//
//   - The head and the figures are plain HTML (report.html, head.go).
//   - The list of episodes and their details are JSON in script blocks that no browser
//     runs: gzip, then base64 (details.go). page.js unpacks the list at once, and
//     details only when somebody opens an episode.
//   - page.js makes text nodes only, so nothing that a page or a server said can become
//     markup. A Content-Security-Policy allows the script and the style by their hashes,
//     and nothing else that runs or loads (shell.go).
package html
