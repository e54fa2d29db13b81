;; Emacs's dap-mode drives the adapter (Debian: emacs-nox, elpa-dap-mode):
;;     emacs --batch -l emacs_client.el, with CUDASH and PROGRAMS in the environment  -*- lexical-binding: t -*-
(require 'dap-mode)

(defconst client-source (concat (getenv "PROGRAMS") "/scale.cu"))
(defvar client-stops 0)
(defvar client-over nil)
(add-hook 'dap-stopped-hook (lambda (_session) (setq client-stops (1+ client-stops))))
(add-hook 'dap-terminated-hook (lambda (_session) (setq client-over t)))

(defun client-wait (what condition)
  (let ((end (+ (float-time) 60)))
    (while (not (funcall condition))
      (when (> (float-time) end) (error "No %s within a minute" what))
      (accept-process-output nil 0.05))))

(defun client-equal (actual expected what)
  (unless (equal actual expected) (error "%s: %S instead of %S" what actual expected)))

(defun client-stop (number)
  (client-wait (format "stop %d" number) (lambda () (>= client-stops number))))

(defun client-frame (session)
  (elt (gethash "stackFrames"
                 (dap-request session "stackTrace" :threadId (dap--debug-session-thread-id session)))
        0))

(dap-register-debug-provider
 "cudash" (lambda (conf) (plist-put conf :dap-server-path (list (getenv "CUDASH") "debug" "--dap"))))

(condition-case problem
    (with-current-buffer (find-file-noselect client-source)
      (goto-char (point-min))
      (forward-line 17)
      (puthash buffer-file-name (list (list :point (point) :condition "i == 77")) (dap--get-breakpoints))
      (dap-debug (list :type "cudash" :request "launch" :name "kernels" :program client-source))
      (client-stop 1)
      (let* ((session (dap--cur-session)) (frame (client-frame session)))
        (client-equal (gethash "supportsStepBack" (dap--debug-session-current-capabilities session)) t "steps back")
        (client-equal (gethash "line" frame) 18 "the line")
        (client-equal (gethash "result" (dap-request session "evaluate" :expression "i" :context "hover"
                                                     :frameId (gethash "id" frame)))
                      "77" "i")
        (dap--step "stepBack" session)
        (client-stop 2)
        (client-equal (gethash "line" (client-frame session)) 17 "the line before")
        (dap-next session)
        (client-stop 3)
        (client-equal (gethash "line" (client-frame session)) 18 "the line again")
        (remhash buffer-file-name (dap--get-breakpoints))
        (dap-request session "setBreakpoints" :source (list :path client-source) :breakpoints [])
        (dap-continue session (dap--debug-session-thread-id session))
        (client-wait "end" (lambda () client-over))))
  (error
   (message "emacs_client.el: %s" (error-message-string problem))
   (kill-emacs 1)))
