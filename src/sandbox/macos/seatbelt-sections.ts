/** What of a Seatbelt profile depends on no path. The last rule that matches decides; the first denies everything. */

/** What every program needs: to run, to know its machine, to have a terminal. */
export const baseSection = `(version 1)
(deny default)
(allow process-exec process-fork file-map-executable)
(allow signal process-info* (target same-sandbox))
(allow file-read* file-write-data
  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty")
  (literal "/dev/stdout") (literal "/dev/stderr") (regex #"^/dev/fd/[0-9]+$"))
(allow file-read* (literal "/dev/random") (literal "/dev/urandom") (literal "/dev/stdin"))
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))
(allow file-read* file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
(allow file-ioctl (regex #"^/dev/ttys[0-9]+$"))
(allow sysctl-read
  (sysctl-name-prefix "hw.") (sysctl-name-prefix "machdep.cpu.")
  (sysctl-name "kern.argmax") (sysctl-name "kern.hostname") (sysctl-name "kern.maxfilesperproc")
  (sysctl-name "kern.maxproc") (sysctl-name "kern.ngroups") (sysctl-name "kern.osproductversion")
  (sysctl-name "kern.osrelease") (sysctl-name "kern.ostype") (sysctl-name "kern.osvariant_status")
  (sysctl-name "kern.osversion") (sysctl-name "kern.secure_kernel") (sysctl-name "kern.usrstack64")
  (sysctl-name "kern.version") (sysctl-name "sysctl.proc_cputype") (sysctl-name "vm.loadavg"))
(allow sysctl-write (sysctl-name "kern.grade_cputype"))
(allow iokit-open (iokit-registry-entry-class "RootDomainUserClient"))
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow ipc-posix-sem)
(allow ipc-posix-shm* (ipc-posix-name-regex #"^/__KMP_REGISTERED_LIB_[0-9]+$"))`;

/** The services behind names, routes and certificates, and the network itself. */
export const networkSection = `(allow network-outbound network-inbound network-bind system-socket)
(allow sysctl-read (sysctl-name-prefix "net.routetable"))
(allow mach-lookup
  (global-name "com.apple.SecurityServer") (global-name "com.apple.networkd") (global-name "com.apple.ocspd")
  (global-name "com.apple.trustd.agent") (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.SystemConfiguration.DNSConfiguration")
  (global-name "com.apple.SystemConfiguration.configd"))`;

/** Settings of the user, for programs that may read everything anyway. */
export const preferencesSection = `(allow ipc-posix-shm-read* (ipc-posix-name-prefix "apple.cfprefs."))
(allow mach-lookup
  (global-name "com.apple.cfprefsd.daemon") (global-name "com.apple.cfprefsd.agent")
  (local-name "com.apple.cfprefsd.agent"))
(allow user-preference-read)`;

/** What programs look at on the way to the system's folders, where reading is limited. */
export const platformSection = `(allow file-read-metadata
  (literal "/") (literal "/var") (literal "/tmp") (literal "/etc") (literal "/private") (literal "/private/var"))
(allow file-read* (literal "/"))`;
