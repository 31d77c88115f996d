package observer

import (
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
)

type consoleLog struct{}

func (o *Observer) consoleCalled(w *watched, e *runtime.EventConsoleAPICalled)  {}
func (o *Observer) exceptionThrown(w *watched, e *runtime.EventExceptionThrown) {}
func (o *Observer) logAdded(w *watched, e *log.EventEntryAdded)                 {}
func exceptionText(e *runtime.ExceptionDetails) string                          { return e.Text }
