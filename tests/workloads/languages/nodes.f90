! SPDX-License-Identifier: GPL-2.0-or-later
module nodes
  implicit none
  type node
    integer(8) :: key
    real(8) :: weight(3)
    integer :: count
  end type
  type chain
    type(node), pointer :: first
    integer(8) :: size
  end type
  type label
    integer(8) :: uses
    character(len=4) :: codes(6)
  end type
contains
  subroutine mark(labels, n, c)
    integer, intent(in) :: n
    type(label), intent(inout) :: labels(n)
    character(len=1), intent(in) :: c
    integer :: i
    do i = 1, n
      labels(i)%codes(3)(2:2) = c
      labels(i)%uses = labels(i)%uses + 1
    end do
  end subroutine
  integer function occurrences(text, c) result(k)
    character(len=*), intent(in) :: text
    character(len=1), intent(in) :: c
    integer :: i
    k = 0
    do i = 1, len(text)
      if (text(i:i) == c) k = k + 1
    end do
  end function
  subroutine walk(list, n, total)
    integer, intent(in) :: n
    type(node), intent(inout) :: list(*)
    real(8), intent(inout) :: total
    integer :: i
    do i = 1, n
      total = total + list(i)%weight(2)
      list(i)%count = list(i)%count + 1
    end do
  end subroutine
  subroutine ranked(a, total)
    real(8), intent(in) :: a(..)
    real(8), intent(inout) :: total
    select rank (a)
    rank (1)
      total = total + sum(a)
    rank (2)
      total = total + sum(a)
    end select
  end subroutine
  subroutine every_other(list, total)
    type(node), pointer, intent(in) :: list(:)
    integer(8), intent(inout) :: total
    integer :: i
    do i = 1, size(list)
      total = ieor(total, list(i)%key)
    end do
  end subroutine
  subroutine of_class(list, total)
    class(node), intent(in) :: list(:)
    integer(8), intent(inout) :: total
    integer :: i
    do i = 1, size(list)
      total = ieor(total, list(i)%key)
    end do
  end subroutine
  integer function nth(list, n, i)
    integer, intent(in) :: n, i
    type(node), intent(in) :: list(n)
    nth = list(i)%count
  end function
  ! gcc folds these two and describes only one with its place
  integer(8) function size_of(c)
    type(chain), intent(in) :: c
    size_of = c%size * 3
  end function
  integer(8) function size_again(c)
    type(chain), intent(in) :: c
    size_again = c%size * 3
  end function
end module

! only callers that are compiled elsewhere know which array it is
real(8) function element(a, ld, i, j)
  implicit none
  integer, intent(in) :: ld, i, j
  real(8), intent(in) :: a(ld, *)
  element = a(i, j)
end function

subroutine share(k)
  implicit none
  integer :: k, i
  integer :: counter
  real(8) :: table(4096)
  common /grid/ counter, table
  do i = 1, 4096
    table(i) = table(i) + k
  end do
  counter = counter + 1
end subroutine

program main
  use nodes
  implicit none
  type(node), allocatable :: all(:)
  real(8) :: total, m(64,64)
  integer :: r, c2
  real(8) :: t2(4096)
  common /grid/ c2, t2
  allocate(all(100000))
  all%key = 1
  all%count = 0
  do r = 1, 3
    all%weight(r) = r
  end do
  m = 1
  total = 0
  do r = 1, 300
    call walk(all, 100000, total)
    call share(r)
    call ranked(m, total)
  end do
  print *, total, c2, t2(5)
end program
